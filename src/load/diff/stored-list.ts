/** Comparisons of `verify` with the live tables, one statement batch at a time; they only read. */
import { sql } from 'kysely'
import type { EventItem, HeldGroup, ResponseItem } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { eventDifferences, responseDifferences } from './column-diff.ts'
import type { Difference, Differences, RowScope } from './column-diff.ts'
import type { EventResponse } from '../write/recordsets.ts'
import { hexDigest } from '../state/sync-state.ts'
import { splitIds } from '../split-ids.ts'
import { chunkRowStream, singleRow, chunkRows } from '../statements.ts'

/** The stored state of a list: its digest, and the live rows that the list lacked. */
export interface StoredList {
  /** Null while something of the list is held, or absences are unconfirmed. */
  readonly digest: string | null
  readonly held_deletions: readonly HeldGroup[]
  /** Rows that the last read of a list in several pages lacked. */
  readonly unconfirmed_absences: readonly string[]
  readonly error_code: string | null
}

/** Null when the list was never read. */
export async function readStoredList(
  trx: Transaction,
  account: number,
  event_id: string,
): Promise<StoredList | null> {
  const known = await trx.kysely
    .selectFrom('headcount.sync_state')
    .select([hexDigest, 'held_deletions', 'unconfirmed_absences', 'error_code'])
    .where('account_id', '=', account)
    .where('event_id', '=', event_id)
    .where('checked_at', 'is not', null)
    .executeTakeFirst()
  if (known === undefined) return null
  return {
    ...known,
    held_deletions: known.held_deletions ?? [],
    unconfirmed_absences: known.unconfirmed_absences ?? [],
  }
}

/** The response list of an event that the service answers with. */
export interface ExpectedResponses {
  rows(): AsyncIterable<readonly ResponseItem[]>
  /** Whether there may be a live row with this id: one of the rows, held, not confirmed absent, or of a rejected item. */
  isExpectedId(id: string): boolean
}

/** Compares every response to one event. At most `max` differences are listed, all are counted. */
export async function compareResponses(
  trx: Transaction,
  account: number,
  event_id: string,
  expected: ExpectedResponses,
  max: number,
): Promise<Differences> {
  const listed: Difference[] = []
  let total = 0
  const compare = async (ids: readonly string[], responses: readonly EventResponse[]) => {
    const scope: RowScope = (id) => sql`live.event_id = ${event_id} and ${id} = any (${ids}::bigint[])`
    const options = { scope, max: max - listed.length, values: true }
    const found = await responseDifferences(trx, account, responses, options)
    listed.push(...found.listed)
    total += found.total
  }
  for await (const rows of chunkRowStream(expected.rows())) {
    const responses = rows.map((response) => ({ event_id, response }))
    await compare(
      rows.map(({ id }) => id),
      responses,
    )
  }
  const others = await liveIds(trx, account, event_id)
  const extra = splitIds(others)
    .filter((id) => !expected.isExpectedId(id))
    .toArray()
  for (const ids of chunkRows(extra)) await compare(ids, [])
  return { listed, total }
}

/** Ids of the live responses of an event, and of its payments and slots without one, in one text. */
async function liveIds(trx: Transaction, account: number, event_id: string): Promise<string> {
  const { rows } = await sql<{ ids: string }>`
    select coalesce(string_agg(id::text, ' ' order by id), '') as ids
      from (select id from headcount.responses where account_id = ${account} and event_id = ${event_id}
             union
            select response_id from headcount.payments where account_id = ${account} and event_id = ${event_id}
             union
            select response_id from headcount.slots where account_id = ${account} and event_id = ${event_id}) live`.execute(
    trx.kysely,
  )
  return singleRow(rows).ids
}

/** The event rows that the service answers with, sorted by id. */
export interface ExpectedEvents {
  readonly rows: readonly EventItem[]
  /** Live rows with these ids are not compared: held, or of an item that was rejected. */
  readonly ignoredIds: readonly string[]
}

/** Compares all event rows; with `onlyThese` other live events are ignored. */
export function compareEvents(
  trx: Transaction,
  account: number,
  { rows, ignoredIds }: ExpectedEvents,
  onlyThese: boolean,
  max: number,
): Promise<Differences> {
  return diffByChunk(rows, max, (chunk, { after, upTo }, left) => {
    const ids = chunk.map(({ id }) => id)
    const scope: RowScope = (id) =>
      onlyThese
        ? sql`${id} = any (${ids}::text[])`
        : sql`
      (${after}::text is null or ${id} > ${after}::text)
        and (${upTo}::text is null or ${id} <= ${upTo}::text)
        and ${id} <> all (${ignoredIds}::text[])`
    return eventDifferences(trx, account, chunk, { scope, max: left, values: true })
  })
}

/** The ids that a chunk covers: each live row belongs to one chunk, those after the last id to the last chunk. */
interface IdRange {
  readonly after: string | null
  readonly upTo: string | null
}

async function diffByChunk<Row extends { readonly id: string }>(
  rows: readonly Row[],
  max: number,
  compare: (chunk: readonly Row[], range: IdRange, max: number) => Promise<Differences>,
): Promise<Differences> {
  const listed: Difference[] = []
  let total = 0
  let after: string | null = null
  let left = rows.length
  for (const chunk of rows.length === 0 ? [[]] : chunkRows(rows)) {
    left -= chunk.length
    const last: string | null = chunk.at(-1)?.id ?? null
    const found = await compare(chunk, { after, upTo: left === 0 ? null : last }, max - listed.length)
    listed.push(...found.listed)
    total += found.total
    after = last
  }
  return { listed, total }
}
