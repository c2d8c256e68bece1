import { sql, type RawBuilder } from 'kysely'
import type { Timestamp } from '../../common/schema/tables.ts'
import type { ViewRow } from '../../common/schema/view-columns.ts'
import { sinceField, type Since } from '../instants/parse-since.ts'
import { resolveInstant } from '../instants/resolve-instant.ts'
import { UsageError } from '../../common/errors.ts'
import { commandName } from '../../common/command-name.ts'
import type { Transaction } from '../../db/transaction.ts'
import { singleRow } from '../../load/statements.ts'
import { listFields, object, orNull, text } from '../calls/input.ts'
import { momentOf, readPeriods, zoneOfAccount } from './digest/period.ts'
import { defineAnswer, requireEvent } from './read-view.ts'
import { returned } from './returned.ts'

export interface ListedChange extends ViewRow<'changes'> {
  /** The name in the response; null of an event, and without one. */
  readonly name: string | null
  /** Of an insert: it was in the mirror before, and had been deleted. */
  readonly returned: boolean
}

export interface Changes {
  /** The newest run first, each in the order of the view `changes`; without first readings. */
  readonly changes: readonly ListedChange[]
  /** How many there are, also those that `limit` leaves out. */
  readonly total: string
  /** Items that were read for the first time and were there before the mirror: no news. */
  readonly first_readings: string
  /** What changed before is not all here, for history was pruned; null where it is. */
  readonly pruned_until: Timestamp | null
}

const readInput = object({
  ...listFields,
  since: sinceField,
  /** Of one event; null: of all. */
  event: orNull(text),
})

/** What runs changed that are closed. */
export const changesCall = defineAnswer(
  'changes',
  readInput,
  async (trx, { account, limit, since, event }): Promise<Changes> => {
    if (event !== null) await requireEvent(trx, event, account, { orRemoved: true })
    await requireSince(trx, since)
    const chosen = sql`where v.run_finished_at is not null and ${after(since)}
                         and (${event}::text is null or v.event_id = ${event})`
    const counts = await sql<{ total: string; first_readings: string }>`
      select count(*) filter (where not v.initial) as total, count(*) filter (where v.initial) as first_readings
        from headcount.changes v ${chosen}`.execute(trx.kysely)
    const { rows } = await sql<ViewRow<'changes'> & { readonly returned: boolean }>`
      select v.*, ${returned('v')} as returned
        from headcount.changes v ${chosen} and not v.initial
       order by v.run_id desc, v.account_id, v.changed_at, v.entity, v.event_id, v.response_id
       limit ${limit}`.execute(trx.kysely)
    const periods = await readPeriods(trx, since, account)
    const pruned = periods.flatMap(({ pruned_until }) => pruned_until ?? [])
    return {
      changes: rows.map(withName),
      ...(counts.rows[0] ?? { total: '0', first_readings: '0' }),
      pruned_until: pruned.toSorted().at(-1) ?? null,
    }
  },
)

/** @throws UsageError unless there is such a run, or the moment has passed */
export async function requireSince(trx: Transaction, since: Since): Promise<void> {
  if (since === 'yesterday') return
  if ('run' in since) await requireRun(trx, since.run)
  if ('at' in since) await requirePast(trx, since.at)
}

/** A year that was mistyped looks like no news. @throws UsageError */
async function requirePast(trx: Transaction, at: string): Promise<void> {
  const { is_past, now } = await resolveInstant(trx, { at })
  if (!is_past)
    throw new UsageError(
      `${at} is still to come, it is ${now} now: ask for the changes since a moment that has passed.`,
    )
}

function after(since: Since): RawBuilder<unknown> {
  const moment = momentOf(since)
  if (since === 'yesterday')
    return sql`v.changed_at >= (
      select ${moment} from headcount.accounts a cross join lateral ${zoneOfAccount} where a.id = v.account_id)`
  return 'run' in since ? sql`v.run_id > ${since.run}` : sql`v.changed_at >= ${moment}`
}

/** @throws UsageError unless there is a run of this number; 0 is before all */
async function requireRun({ kysely }: Transaction, run: number): Promise<void> {
  const { rows } = await sql<{ last: string | null; known: boolean }>`
    select max(id) as last, coalesce(bool_or(id = ${run}), false) as known from headcount.sync_runs`.execute(
    kysely,
  )
  const { last, known } = singleRow(rows)
  if (known || run === 0) return
  throw new UsageError(
    `There is no run ${run}${last === null ? '' : `; the last one is ${last}`}: ${commandName()} runs lists them.`,
  )
}

function withName(change: Omit<ListedChange, 'name'>): ListedChange {
  const name = change.entity === 'response' ? change.record?.['name'] : null
  return { ...change, name: typeof name === 'string' ? name : null }
}
