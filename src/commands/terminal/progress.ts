import type { SingleBar } from 'cli-progress'
import type { Progress } from '../../index.ts'
import { shorten } from '../../common/text/fit-text.ts'
import { accountsLine, type AccountsProgress } from './accounts-line.ts'
import { progressLine } from './progress-line.ts'
import type { Output } from './terminal.ts'

/** How far some work is: in words, and in numbers. */
export interface ProgressForm<P> {
  readonly line: (progress: P, elapsedMs: number) => string
  readonly counts: (progress: P) => { readonly done: number; readonly total: number }
}

export const runProgress: ProgressForm<Progress> = { line: progressLine, counts: ({ events }) => events }

export const accountsProgress: ProgressForm<AccountsProgress> = {
  line: accountsLine,
  counts: (progress) => progress,
}

/** Where the progress of a run, or of other work, is shown, and where other lines go meanwhile. */
export interface ProgressDisplay<P> extends Disposable {
  show(progress: P): void
  /** Writes above the bar. */
  writeAbove(text: string): void
}

const MAX_BAR = 24
const MIN_BAR = 6

/** The line of progress in at most so many columns, with a bar in front where there is room for one. */
export function drawProgress<P>(
  { line, counts }: ProgressForm<P>,
  progress: P,
  elapsedMs: number,
  columns: number,
): string {
  const text = line(progress, elapsedMs)
  const { done, total } = counts(progress)
  const width = Math.min(MAX_BAR, columns - text.length - 1)
  if (width < MIN_BAR || total === 0) return shorten(text, columns)
  const filled = Math.floor((done / total) * width)
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${text}`
}

/** One bar on a terminal, redrawn in place and gone at the end. */
export function openBar<P>(err: Output, form: ProgressForm<P>): Promise<ProgressDisplay<P>> {
  return openProgressLine(err, (...now) => drawProgress(form, ...now))
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

export function openLines<P>(
  err: Output,
  { line }: ProgressForm<P>,
  log: (fields: object, message: string) => void,
  now: () => number = () => performance.now(),
): ProgressDisplay<P> {
  const startedAt = now()
  let lastLineAt = startedAt
  return {
    show: (progress) => {
      if (now() - lastLineAt < LINE_EVERY_MS) return
      lastLineAt = now()
      log({ progress }, line(progress, lastLineAt - startedAt))
    },
    writeAbove: (text) => void err.write(text),
    [Symbol.dispose]: () => undefined,
  }
}
