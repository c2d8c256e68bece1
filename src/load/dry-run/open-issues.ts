import { sql } from 'kysely'
import { heldRows } from '../../common/schema/holds.ts'
import type { HeldGroup, ReportedHold } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { ListRejects } from '../state/rejects.ts'
import { MAX_REPORTED_HOLDS, type OpenIssues } from '../state/open-issues.ts'
import { EVENT_LIST_KEY, isStale, type AppliedState } from '../state/sync-state.ts'
import { singleRow } from '../statements.ts'

/** The open issues of one list. */
interface PlannedList extends Pick<AppliedState, 'event_id' | 'set_aside'> {
  readonly held_deletions: readonly HeldGroup[] | null
  readonly unconfirmed_absences: readonly string[] | null
}

/**
 * What would be held, rejected and set aside after a run. Lists that the run has read count as it would leave them, events
 * that it would delete do not count, all others count as they are in the mirror.
 */
export class PlannedIssues {
  readonly #read = new Map<string, PlannedList>()
  /** Rejects that nobody has accepted, by list. */
  readonly #rejected = new Map<string, number>()
  readonly #forgotten = new Set<string>()
  /** Events whose personal data would be forgotten, and with it what was set aside. */
  readonly #cleared = new Set<string>()
  #accepted: ReadonlySet<string> | null = null

  read(states: readonly AppliedState[]): void {
    for (const state of states) this.#read.set(state.event_id, state)
  }

  /** How many deletions of a list that was read would be held. */
  heldCount(event_id: string): number {
    return (this.#read.get(event_id)?.held_deletions ?? []).reduce((sum, { ids }) => sum + ids.length, 0)
  }

  async rejects(trx: Transaction, account: number, lists: readonly ListRejects[]): Promise<void> {
    this.#accepted ??= await readAccepted(trx, account)
    const accepted = this.#accepted
    for (const { event_id, rejects } of lists) {
      const list = event_id ?? EVENT_LIST_KEY
      let open = 0
      for await (const chunk of rejects)
        open += chunk.filter(({ sha256 }) => !accepted.has(`${sha256} ${list}`)).length
      this.#rejected.set(list, open)
    }
  }

  /** Leaves out events that would be deleted. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#forgotten.add(id)
  }

  /** Counts nothing as set aside in events whose personal data would be forgotten. */
  clearSetAside(ids: readonly string[]): void {
    for (const id of ids) this.#cleared.add(id)
  }

  async deleteStaleState(trx: Transaction, account: number, listed: readonly string[]): Promise<void> {
    const stale = isStale(account, listed)
    const { rows } = await sql<{ event_id: string }>`
      select event_id from headcount.sync_state where ${stale}
       union
      select event_id from headcount.rejects where event_id is not null and ${stale}`.execute(trx.kysely)
    this.forget(rows.map(({ event_id }) => event_id))
  }

  async open(trx: Transaction, account: number): Promise<OpenIssues> {
    const { rows: states } = await sql<PlannedList>`
      select event_id, held_deletions, unconfirmed_absences, set_aside from headcount.sync_state
       where account_id = ${account}
         and (held_deletion_count > 0 or set_aside > 0 or unconfirmed_absences is not null)`.execute(
      trx.kysely,
    )
    const { rows: rejects } = await sql<{ event_id: string; open: number }>`
      select coalesce(j.event_id, ${EVENT_LIST_KEY}) as event_id, count(*)::int as open
        from headcount.rejects j
       where j.account_id = ${account}
         and not exists (
           select 1
             from headcount.accepted_rejects k
            where k.account_id = j.account_id and k.event_id is not distinct from j.event_id and k.sha256 = j.sha256)
       group by 1`.execute(trx.kysely)
    const { rows } = await sql<{ now: string }>`select now() as now`.execute(trx.kysely)
    const lists = [
      ...states.filter(({ event_id }) => !this.#forgotten.has(event_id) && !this.#read.has(event_id)),
      ...this.#read.values(),
    ]
    const open = [
      ...rejects
        .filter(({ event_id }) => !this.#forgotten.has(event_id) && !this.#rejected.has(event_id))
        .map((list) => list.open),
      ...this.#rejected.values(),
    ]
    const holds = lists.flatMap(({ event_id, held_deletions }) =>
      reportedHolds(event_id, held_deletions ?? []),
    )
    return {
      held: heldRows(holds),
      holds: holds.toSorted(oldestFirst).slice(0, MAX_REPORTED_HOLDS),
      unconfirmed: lists.reduce((sum, list) => sum + (list.unconfirmed_absences?.length ?? 0), 0),
      set_aside: lists
        .filter(({ event_id }) => !this.#cleared.has(event_id))
        .reduce((sum, { set_aside }) => sum + set_aside, 0),
      rejected: open.reduce((sum, count) => sum + count, 0),
      now: singleRow(rows).now,
    }
  }
}

function reportedHolds(event_id: string, held: readonly HeldGroup[]): ReportedHold[] {
  return held.map(({ since, reason, ids }) => ({
    event_id: event_id === EVENT_LIST_KEY ? null : event_id,
    since,
    reason,
    rows: ids.length,
  }))
}

function oldestFirst(one: ReportedHold, other: ReportedHold): number {
  const [first, second] = [one.event_id ?? EVENT_LIST_KEY, other.event_id ?? EVENT_LIST_KEY]
  return Date.parse(one.since) - Date.parse(other.since) || (first < second ? -1 : 1)
}

async function readAccepted(trx: Transaction, account: number): Promise<ReadonlySet<string>> {
  const rows = await trx.kysely
    .selectFrom('headcount.accepted_rejects')
    .select(['event_id', 'sha256'])
    .where('account_id', '=', account)
    .execute()
  return new Set(rows.map(({ event_id, sha256 }) => `${sha256} ${event_id ?? EVENT_LIST_KEY}`))
}
