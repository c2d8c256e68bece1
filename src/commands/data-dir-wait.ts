/** What is seen while a command waits for a folder that another process has open. */
import type { Config } from '../config/config.ts'
import type { OnFolderInUse } from '../db/connect.ts'
import { stripControlCharsInLine } from '../common/strip-control-chars.ts'
import { formatDuration } from '../common/format-duration.ts'
import type { Output } from './terminal/terminal.ts'

const REDRAWN_EVERY_MS = 500
const clearLine = '\r\u001B[2K'

/**
 * On a terminal a line that counts the time, gone when the wait is over; elsewhere one line. With `--quiet` nothing: what
 * becomes of the wait is told.
 */
export function showFolderWait(
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  err: Output,
  writeLine: (text: string) => void,
): OnFolderInUse {
  return ({ folder, holder, waitMs }) => {
    if (logLevel !== 'info' && logLevel !== 'debug') return new DisposableStack()
    const use = `${holder} has ${folder} open`
    if (err.isTerminal && logFormat !== 'json') return countTime(err, stripControlCharsInLine(use), waitMs)
    writeLine(`${use}: waiting up to ${formatDuration(waitMs)}`)
    return new DisposableStack()
  }
}

function countTime(err: Output, use: string, waitMs: number): Disposable {
  const begun = performance.now()
  const draw = () => {
    const seconds = Math.floor((performance.now() - begun) / 1000)
    const line = `${use}: waiting, ${seconds} of ${Math.ceil(waitMs / 1000)} s`
    void err.write(clearLine + line.slice(0, (err.width ?? 80) - 1))
  }
  draw()
  const drawing = setInterval(draw, REDRAWN_EVERY_MS)
  return {
    [Symbol.dispose]: () => {
      clearInterval(drawing)
      void err.write(clearLine)
    },
  }
}
