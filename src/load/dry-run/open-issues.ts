import { sql } from 'kysely'
import type { HeldGroup, ReportedHold } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { ListRejects } from '../state/rejects.ts'
import { EVENTS_LIST, MAX_REPORTED_HOLDS } from '../state/sync-state.ts'
import type { OpenMatters, ReadState } from '../state/sync-state.ts'
import { onlyRow } from '../statements.ts'

/** What a list leaves open. */
interface PlannedList extends Pick<ReadState, 'event_id' | 'set_aside'> {
  readonly held_deletions: readonly HeldGroup[] | null
  readonly unconfirmed_absences: readonly string[] | null
}

/**
 * What would be held, rejected and set aside after a run: what the mirror says, but for the lists that the run has
 * read and the events that it would forget.
 */
export class PlannedMatters {
  readonly #read = new Map<string, PlannedList>()
  /** Rejects that nobody has accepted, by list. */
  readonly #rejected = new Map<string, number>()
  readonly #forgotten = new Set<string>()
  #accepted: ReadonlySet<string> | null = null

  read(states: readonly ReadState[]): void {
    for (const state of states) this.#read.set(state.event_id, state)
  }

  /** How many deletions would be held of a list that was read. */
  heldOf(event_id: string): number {
    return (this.#read.get(event_id)?.held_deletions ?? []).reduce((sum, { ids }) => sum + ids.length, 0)
  }

  async rejects(trx: Transaction, account: number, lists: readonly ListRejects[]): Promise<void> {
    this.#accepted ??= await readAcceptances(trx, account)
    const accepted = this.#accepted
    for (const { event_id, rejects } of lists) {
      const list = event_id ?? EVENTS_LIST
      let open = 0
      for await (const piece of rejects)
        open += piece.filter(({ sha256 }) => !accepted.has(`${sha256} ${list}`)).length
      this.#rejected.set(list, open)
    }
  }

  /** Events that would go, with all that is known of them. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#forgotten.add(id)
  }

  async forgetUnlisted(trx: Transaction, account: number, listed: readonly string[]): Promise<void> {
    const { rows } = await sql<{ event_id: string }>`
      select event_id
        from (select event_id from headcount.sync_state where account_id = ${account}
               union
              select event_id from headcount.rejects where account_id = ${account} and event_id is not null) known
       where event_id <> ${EVENTS_LIST}
         and event_id <> all (${listed}::text[])
         and not exists (select 1 from headcount.events e where e.account_id = ${account} and e.id = event_id)`.execute(
      trx.kysely,
    )
    this.forget(rows.map(({ event_id }) => event_id))
  }

  async open(trx: Transaction, account: number): Promise<OpenMatters> {
    const { rows: states } = await sql<PlannedList>`
      select event_id, held_deletions, unconfirmed_absences, set_aside from headcount.sync_state
       where account_id = ${account}
         and (held_deletion_count > 0 or set_aside > 0 or unconfirmed_absences is not null)`.execute(
      trx.kysely,
    )
    const { rows: rejects } = await sql<{ event_id: string; open: number }>`
      select coalesce(j.event_id, ${EVENTS_LIST}) as event_id, count(*)::int as open
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
      held: holds.reduce((sum, hold) => sum + hold.rows, 0),
      holds: holds.toSorted(oldestFirst).slice(0, MAX_REPORTED_HOLDS),
      unconfirmed: lists.reduce((sum, list) => sum + (list.unconfirmed_absences?.length ?? 0), 0),
      set_aside: lists.reduce((sum, { set_aside }) => sum + set_aside, 0),
      rejected: open.reduce((sum, count) => sum + count, 0),
      now: onlyRow(rows).now,
    }
  }
}

function reportedHolds(event_id: string, held: readonly HeldGroup[]): ReportedHold[] {
  return held.map(({ since, reason, ids }) => ({
    event_id: event_id === EVENTS_LIST ? null : event_id,
    since,
    reason,
    rows: ids.length,
  }))
}

function oldestFirst(one: ReportedHold, other: ReportedHold): number {
  const [first, second] = [one.event_id ?? EVENTS_LIST, other.event_id ?? EVENTS_LIST]
  return Date.parse(one.since) - Date.parse(other.since) || (first < second ? -1 : 1)
}

async function readAcceptances(trx: Transaction, account: number): Promise<ReadonlySet<string>> {
  const rows = await trx.kysely
    .selectFrom('headcount.accepted_rejects')
    .select(['event_id', 'sha256'])
    .where('account_id', '=', account)
    .execute()
  return new Set(rows.map(({ event_id, sha256 }) => `${sha256} ${event_id ?? EVENTS_LIST}`))
}
