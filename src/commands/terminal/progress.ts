import type { SingleBar } from 'cli-progress'
import type { Progress } from '../../index.ts'
import type { AccountsProgress } from './accounts-line.ts'
import { progressLine } from './progress-line.ts'
import type { Output } from './terminal.ts'

/** Where the progress of a run, or of other work, is shown, and where other lines go meanwhile. */
export interface ProgressDisplay<P = Progress> extends Disposable {
  show(progress: P): void
  /** Writes above the bar. */
  writeAbove(text: string): void
}

/** As `openBar`, of a command over many accounts. */
export async function openAccountsBar(err: Output): Promise<ProgressDisplay<AccountsProgress>> {
  const { accountsBar } = await import('./progress-bar.ts')
  return openProgressLine(err, accountsBar)
}

/** One bar of a run on a terminal, redrawn in place and gone at the end. */
export async function openBar(err: Output): Promise<ProgressDisplay> {
  const { progressBar } = await import('./progress-bar.ts')
  return openProgressLine(err, progressBar)
}

/**
 * One line on a terminal, redrawn in place and gone at the end.
 *
 * @param format the line in at most so many columns
 */
export async function openProgressLine<P>(
  err: Output,
  format: (progress: P, elapsedMs: number, columns: number) => string,
): Promise<ProgressDisplay<P>> {
  const { default: cliProgress } = await import('cli-progress')
  const startedAt = performance.now()
  let newest: P | null = null
  const line = () => {
    const columns = (err.width ?? 80) - 1
    return newest === null ? '' : format(newest, performance.now() - startedAt, columns)
  }
  const bar: SingleBar = new cliProgress.SingleBar({
    format: line,
    stream: err.stream,
    clearOnComplete: true,
    // A process that is killed cannot restore the terminal, so the bar changes neither line wrapping nor the cursor.
    linewrap: true,
    hideCursor: false,
    // The program handles signals itself, by the abort signal of the run.
    gracefulExit: false,
    forceRedraw: true,
  })
  const stop = () => bar.stop()
  return {
    show: (progress) => {
      const isFirst = newest === null
      newest = progress
      if (isFirst) bar.start(1, 0)
    },
    writeAbove: (text) => {
      stop()
      void err.write(text)
      if (newest !== null) bar.start(1, 0)
    },
    [Symbol.dispose]: stop,
  }
}

/** One line of log at most so often, where there is no terminal. */
const LINE_EVERY_MS = 10_000

type LogLine = (fields: object, message: string) => void

export function openLines(err: Output, log: LogLine, now?: () => number): ProgressDisplay {
  return openProgressLines(err, log, progressLine, now)
}

/** As `openLines`, of other work. */
export function openProgressLines<P>(
  err: Output,
  log: LogLine,
  format: (progress: P, elapsedMs: number) => string,
  now: () => number = () => performance.now(),
): ProgressDisplay<P> {
  const startedAt = now()
  let lastLineAt = startedAt
  return {
    show: (progress) => {
      if (now() - lastLineAt < LINE_EVERY_MS) return
      lastLineAt = now()
      log({ progress }, format(progress, lastLineAt - startedAt))
    },
    writeAbove: (text) => void err.write(text),
    [Symbol.dispose]: () => undefined,
  }
}
