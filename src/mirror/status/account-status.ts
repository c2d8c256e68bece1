/** How fresh and how whole the mirror of each account is, read in one view of the database. */
import type { Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { readMoved, type Moved } from '../../load/state/moved.ts'
import { EVENT_LIST_KEY } from '../../load/state/sync-state.ts'
import {
  failingList,
  heldDeletions,
  unconfirmedAbsences,
  heldEventDeletions,
  labelHolds,
  nextDueReason,
  type FailingList,
  type HeldDeletions,
  type ListRow,
  type MirrorSettings,
  type UnconfirmedAbsences,
} from './list-status.ts'
import { readAccountFacts, type AccountFacts, type LiveRows, type RunSummary } from './account-facts.ts'
import type { DeliveryStatus } from './delivery-status.ts'
import type { RsvpValue } from '../owner-tables/rsvp-values.ts'

export interface AccountStatus {
  readonly account: string
  readonly email: string | null
  readonly base_url: string | null
  /** When its removal began, if that is not finished; null otherwise. */
  readonly removing_since: Timestamp | null
  /** The database that the whole mirror was moved to, without user and password: nothing is written here any more. Null otherwise. */
  readonly moved_to: string | null
  readonly moved_at: Timestamp | null
  /** The last run of the whole account in which every list that was due was applied or found unchanged. */
  readonly last_good_run: RunSummary | null
  readonly last_run: RunSummary | null
  /** Since the last good run began, by the database's clock; null when there was none. */
  readonly age_ms: number | null
  /** Without those that the event list misses. */
  readonly events_due: number
  readonly rows: LiveRows
  /** Items that cannot be stored, without those that were accepted. */
  readonly rejected: number
  readonly accepted: number
  readonly set_aside: number
  readonly held: readonly HeldDeletions[]
  /** Rows that one reading lacked, of lists in several pages. */
  readonly unconfirmed: readonly UnconfirmedAbsences[]
  readonly failing: readonly FailingList[]
  /** Who is sent digests and notices, and whether that goes well. */
  readonly deliveries: readonly DeliveryStatus[]
  /** Values of replies without a meaning, at most 100; null when they were not read, or not within a second. */
  readonly rsvp_without_meaning: readonly RsvpValue[] | null
}

/** Without what only a reading of all responses shows. */
export type QuickAccountStatus = Omit<AccountStatus, 'rsvp_without_meaning'>

/** The settings of the next run: of all accounts, and of those that have their own, by their names. */
export interface StatusSettings extends MirrorSettings {
  readonly own?: ReadonlyMap<string, MirrorSettings>
}

/** Read together: a query for each account would take minutes for thousands, and all at once too much memory. */
const ACCOUNTS_AT_ONCE = 200

/** Every account of the mirror, or the one of this name; what is due and how long is held depends on the settings of the next run. */
export async function readAccountStatuses(
  trx: Transaction,
  settings: StatusSettings,
  account: string | null,
): Promise<readonly QuickAccountStatus[]> {
  const accounts = await trx.kysely
    .selectFrom('headcount.accounts')
    .select(['id', 'name', 'email', 'base_url', '_removing_since as removing_since'])
    .$if(account !== null, (query) => query.where('name', '=', account))
    .orderBy('id')
    .execute()
  const moved = await readMoved(trx.kysely)
  const statuses: QuickAccountStatus[] = []
  for (let from = 0; from < accounts.length; from += ACCOUNTS_AT_ONCE) {
    const some = accounts.slice(from, from + ACCOUNTS_AT_ONCE)
    const ids = some.map(({ id }) => id)
    const facts = await readAccountFacts(trx.kysely, ids)
    for (const one of some) statuses.push(await statusOf(trx, { ...one, moved }, settings, facts))
  }
  return statuses
}

interface StoredAccount extends Pick<AccountStatus, 'email' | 'base_url' | 'removing_since'> {
  readonly id: number
  readonly name: string
  /** The mirror of all accounts. */
  readonly moved: Moved | null
}

async function statusOf(
  trx: Transaction,
  { id, name, email, base_url, removing_since, moved }: StoredAccount,
  { own, ...ofAll }: StatusSettings,
  facts: AccountFacts,
): Promise<QuickAccountStatus> {
  const { maxStalenessMs, holdForMs } = own?.get(name) ?? ofAll
  const time = { ...facts.clocks, holdForMs }
  const lists = facts.lists.get(id) ?? []
  const eventList = lists.find(({ event_id }) => event_id === EVENT_LIST_KEY)
  const missing = heldEventDeletions(eventList, time)
  const held = lists.flatMap((list) => heldDeletions(list, time))
  const isDue = (list: ListRow) =>
    list.isEvent && !missing.has(list.event_id) && nextDueReason(list, maxStalenessMs, time.now) !== null
  const last_good_run = facts.lastGoodRuns.get(id) ?? null
  return {
    account: name,
    email,
    base_url,
    removing_since,
    moved_to: moved?.moved_to ?? null,
    moved_at: moved?.moved_at ?? null,
    last_good_run,
    last_run: facts.lastRuns.get(id) ?? null,
    age_ms: last_good_run && Math.max(0, Date.parse(time.now) - Date.parse(last_good_run.started_at)),
    events_due: lists.filter(isDue).length,
    rows: facts.rows.get(id) ?? { events: 0, responses: 0, payments: 0, slots: 0 },
    ...(facts.rejects.get(id) ?? { rejected: 0, accepted: 0 }),
    set_aside: lists.reduce((sum, { set_aside }) => sum + (set_aside ?? 0), 0),
    held: await labelHolds(trx, id, held),
    unconfirmed: lists.flatMap((list) => unconfirmedAbsences(list)),
    failing: lists.flatMap((list) => failingList(list) ?? []),
    deliveries: facts.deliveries.get(id) ?? [],
  }
}
