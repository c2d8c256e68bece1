import type { Progress } from '../../index.ts'
import { accountsLine, type AccountsProgress } from './accounts-line.ts'
import { progressLine } from './progress-line.ts'
import { shorten } from '../../common/text/fit-text.ts'

const MAX_BAR = 24
const MIN_BAR = 6

/** The line of progress in at most so many columns, with a bar in front where there is room for one. */
export function progressBar(progress: Progress, elapsedMs: number, columns: number): string {
  return withBar(progressLine(progress, elapsedMs), progress.events, columns)
}

/** As `progressBar`, of a command over many accounts. */
export function accountsBar(progress: AccountsProgress, elapsedMs: number, columns: number): string {
  return withBar(accountsLine(progress, elapsedMs), progress, columns)
}

function withBar(
  line: string,
  { done, total }: { readonly done: number; readonly total: number },
  columns: number,
): string {
  const width = Math.min(MAX_BAR, columns - line.length - 1)
  if (width < MIN_BAR || total === 0) return shorten(line, columns)
  const filled = Math.floor((done / total) * width)
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${line}`
}
