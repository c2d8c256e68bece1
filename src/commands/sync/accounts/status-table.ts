/** How many accounts stand, one line each, the worst first. */
import { heldRows } from '../../../common/schema/holds.ts'
import { outcomeOf } from '../../../common/schema/run-report.ts'
import { formatAge } from '../../../common/text/format-duration.ts'
import { formatNumber } from '../../../common/text/number.ts'
import { describeHeldList } from '../../output/held-deletions.ts'
import { below, listTable, right } from '../../output/format/table.ts'
import type { Output } from '../../terminal/terminal.ts'
import type { AccountStatus } from '../../../mirror/status/account-status.ts'
import { shortenLines, type AccountResult } from './account-result.ts'

/** An account of the file or of the mirror. */
export interface ListedStatus extends AccountStatus, Omit<AccountResult, 'account'> {
  /** Whether the accounts file lists it. */
  readonly in_file: boolean
}

const MAX_WHY = 200
const FAULTY = 'faulty entry'

export function formatStatusTable(
  accounts: readonly ListedStatus[],
  /** Entries of the file that stand for no account. */
  unusable: readonly AccountResult[],
  out: Pick<Output, 'style' | 'width'>,
): string {
  const rows = accounts
    .map((status) => ({ status, account: status.account, ...standingOf(status) }))
    .sort((one, other) => one.rank - other.rank || (other.status.age_ms ?? 0) - (one.status.age_ms ?? 0))
  const faulty = unusable.map(({ account, error }) => ({
    status: null,
    account: account ?? '(no name)',
    state: FAULTY,
    why: error?.message ?? '',
  }))
  const ifKnown =
    (read: (status: ListedStatus) => string) => (row: { readonly status: ListedStatus | null }) =>
      row.status === null ? '' : read(row.status)
  return listTable(
    out,
    [...faulty, ...rows],
    [
      ['account', ({ account }) => account],
      ['state', ({ state }) => state],
      ['last good run', ifKnown(({ age_ms }) => (age_ms === null ? 'none yet' : formatAge(age_ms)))],
      [right('due'), ifKnown(({ events_due }) => formatNumber(events_due))],
      [right('held'), ifKnown(({ held }) => formatNumber(heldRows(held)))],
      [right('rejected'), ifKnown(({ rejected }) => formatNumber(rejected))],
      [below('why'), ({ why }) => shortenLines(why, MAX_WHY)],
    ],
  )
}

interface Standing {
  /** The lower, the worse. */
  readonly rank: number
  readonly state: string
  readonly why: string
}

function standingOf(status: ListedStatus): Standing {
  const { last_run, last_good_run, failing, held, in_file, error } = status
  const ofHeld = held.map(describeHeldList).join('; ')
  const why = last_run?.error ?? failing[0]?.message ?? ofHeld
  if (!in_file) return { rank: 7, state: 'not in file', why: '' }
  if (status.removing_since !== null) return { rank: 0, state: 'half removed', why: '' }
  if (status.moved_to !== null) return { rank: 0, state: 'moved', why: `to ${status.moved_to}` }
  if (error !== null) return { rank: 1, state: FAULTY, why: error.message }
  if (last_run === null) return { rank: 2, state: 'never read', why: '' }
  if (last_run.run_id !== last_good_run?.run_id && last_run.status !== 'running')
    return { rank: 3, state: outcomeOf(last_run), why }
  if (held.some(({ overdue }) => overdue)) return { rank: 4, state: 'held', why: ofHeld }
  if (failing.length > 0) return { rank: 5, state: 'failing', why }
  return { rank: 6, state: 'good', why: '' }
}
