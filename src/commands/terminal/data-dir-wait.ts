/** What a command shows while it waits for a folder that another process has open. */
import type { Config } from '../../config/config.ts'
import type { OnFolderInUse } from '../../db/connect.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { formatDuration } from '../../common/text/format-duration.ts'
import { showsProgress } from './logger.ts'
import { showSeconds } from './show-seconds.ts'
import type { Output } from './terminal.ts'

/**
 * On a terminal a line that counts the time, gone when the wait is over; elsewhere one line. With `--quiet` nothing: what
 * becomes of the wait is told.
 */
export function showFolderWait(
  config: Pick<Config, 'logLevel' | 'logFormat'>,
  err: Output,
  writeLine: (text: string) => void,
): OnFolderInUse {
  return ({ folder, holder, waitMs }) => {
    if (!showsProgress(config)) return new DisposableStack()
    const use = `${holder} has ${folder} open`
    if (err.isTerminal && config.logFormat !== 'json') {
      const waiting = `${stripControlCharsInLine(use)}: waiting`
      return showSeconds(err, (seconds) => `${waiting}, ${seconds} of ${Math.ceil(waitMs / 1000)} s`)
    }
    writeLine(`${use}: waiting up to ${formatDuration(waitMs)}`)
    return new DisposableStack()
  }
}
