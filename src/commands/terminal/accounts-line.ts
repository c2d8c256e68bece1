import { formatDuration } from '../../common/text/format-duration.ts'
import { formatCount, formatNumber } from '../../common/text/number.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { Progress } from '../../index.ts'

/** How far a command over many accounts is. */
export interface AccountsProgress {
  readonly done: number
  readonly total: number
  /** Of those that are done: how many did not end with 0. */
  readonly failing: number
  /** Of the account that was heard of last. */
  readonly current: { readonly account: string; readonly events: Progress['events'] } | null
}

/** Milliseconds before the time that is left can be told. */
const FIRST_RATE_MS = 3000

/** `412/1,000 accounts, 3 failing, 2 min left; choir 23/50 events` */
export function accountsLine({ done, total, failing, current }: AccountsProgress, elapsedMs: number): string {
  const counts = [`${formatNumber(done)}/${formatCount(total, 'account')}`]
  if (failing > 0) counts.push(`${formatNumber(failing)} failing`)
  if (elapsedMs >= FIRST_RATE_MS && done > 0 && done < total)
    counts.push(`${formatDuration((elapsedMs / done) * (total - done))} left`)
  if (current === null) return counts.join(', ')
  const { account, events } = current
  const read = events.total === 0 ? '' : ` ${formatNumber(events.done)}/${formatCount(events.total, 'event')}`
  return `${counts.join(', ')}; ${stripControlCharsInLine(account)}${read}`
}
