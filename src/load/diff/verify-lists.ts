/** Comparisons of `verify` with the live tables, one statement batch at a time; they only read. */
import { sql } from 'kysely'
import type { EventItem, HeldGroup } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { ResponseBatch } from '../../copy-format/response-batch.ts'
import { diffLists } from './list-diff.ts'
import { eventDifferences, responseDifferences } from './column-diff.ts'
import type { Difference, Differences, RowScope } from './column-diff.ts'
import type { EventResponse } from '../write/recordsets.ts'
import { splitIds } from '../split-ids.ts'
import { singleRow, chunkRows } from '../statements.ts'

/** The stored state of a list: its digest, and the live rows that the list lacked. */
export interface StoredList {
  /** Null while something of the list is held, or absences are unconfirmed. */
  readonly digest: string | null
  readonly held_deletions: readonly HeldGroup[]
  /** Rows that the last read of a list in several pages lacked. */
  readonly unconfirmed_absences: readonly string[]
  readonly error_code: string | null
  readonly is_forgotten: boolean
  /** Whether the next sync makes the rows anew; not those of a forgotten list, which have nothing of what is left out. */
  readonly rewrite_due: boolean
}

/** What is stored of these lists, by event; nothing of one that was never read. */
export async function readStoredLists(
  trx: Transaction,
  account: number,
  event_ids: readonly string[],
): Promise<ReadonlyMap<string, StoredList>> {
  const { rows } = await sql<StoredList & { readonly event_id: string }>`
    select event_id, encode(digest, 'hex') as digest, coalesce(held_deletions, '[]') as held_deletions,
           coalesce(unconfirmed_absences, '[]') as unconfirmed_absences, error_code,
           forgotten_at is not null as is_forgotten, rewrite_due and forgotten_at is null as rewrite_due
      from headcount.sync_state
     where account_id = ${account} and event_id = any (${event_ids}::text[]) and checked_at is not null`.execute(
    trx.kysely,
  )
  return new Map(rows.map((row) => [row.event_id, row]))
}

/** The response list of an event that the service answers with. */
export interface ExpectedResponses {
  batches(): AsyncIterable<ResponseBatch>
  /** Whether there may be a live row with this id: one of the rows, held, not confirmed absent, or of a rejected item. */
  readonly isExpectedId: (id: string) => boolean
}

/**
 * Compares lists with the live rows byte by byte, in the form in which a sync would write them.
 *
 * @returns the events of which every live row is as the list says, and no other is live
 */
export async function equalLists(
  trx: Transaction,
  lists: readonly (Pick<ExpectedResponses, 'isExpectedId'> & { readonly batch: ResponseBatch })[],
): Promise<ReadonlySet<string>> {
  const batches = lists.map(({ batch }) => batch)
  const diffs = await diffLists(trx, batches, { withOrphans: true })
  const isEqual = ({ batch: { event_id }, isExpectedId }: (typeof lists)[number]) => {
    const diff = diffs.get(event_id)
    const isSame = diff !== undefined && diff.added.length === 0 && diff.differing.length === 0
    return isSame && [...diff.absent, ...diff.orphans].every(isExpectedId)
  }
  return new Set(lists.filter(isEqual).map(({ batch }) => batch.event_id))
}

/**
 * Compares every response to one event.
 *
 * @param options.max at most so many differences are listed; all are counted
 * @param options.inSql every column is compared in SQL, not only those of rows whose bytes differ
 */
export async function compareResponses(
  trx: Transaction,
  account: number,
  event_id: string,
  expected: ExpectedResponses,
  { max, inSql }: { readonly max: number; readonly inSql: boolean },
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
  for await (const batch of expected.batches()) {
    for (const indexes of chunkRows(inSql ? batch.indexes() : await changedIndexes(trx, batch))) {
      const responses = indexes.map((index) => ({ event_id, response: batch.item(index) }))
      const ids = responses.map(({ response }) => response.id)
      await compare(ids, responses)
    }
  }
  const others = await liveIds(trx, account, event_id)
  const extra = splitIds(others)
    .filter((id) => !expected.isExpectedId(id))
    .toArray()
  for (const ids of chunkRows(extra)) await compare(ids, [])
  return { listed, total }
}

/** The indexes of rows that are not live, or live in other bytes. */
async function changedIndexes(trx: Transaction, batch: ResponseBatch): Promise<readonly number[]> {
  const diff = (await diffLists(trx, [batch], { ids: batch.ids() })).get(batch.event_id)
  return diff === undefined ? [] : [...diff.added, ...diff.differing].sort((one, other) => one - other)
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

/**
 * Compares all event rows. Each live row belongs to one chunk of them; those after the last id to the last chunk.
 *
 * @param rows that the service answers with, sorted by id
 * @param ignoredIds live rows with these ids are not compared: held, or of an item that was rejected
 * @param onlyThese other live events are ignored
 */
export async function compareEvents(
  trx: Transaction,
  account: number,
  { rows, ignoredIds }: { readonly rows: readonly EventItem[]; readonly ignoredIds: readonly string[] },
  onlyThese: boolean,
  max: number,
): Promise<Differences> {
  const listed: Difference[] = []
  let total = 0
  let after: string | null = null
  let left = rows.length
  for (const chunk of rows.length === 0 ? [[]] : chunkRows(rows)) {
    left -= chunk.length
    const ids = chunk.map(({ id }) => id)
    const last: string | null = ids.at(-1) ?? null
    const [from, upTo] = [after, left === 0 ? null : last]
    const scope: RowScope = (id) =>
      onlyThese
        ? sql`${id} = any (${ids}::text[])`
        : sql`
      (${from}::text is null or ${id} > ${from}::text)
        and (${upTo}::text is null or ${id} <= ${upTo}::text)
        and ${id} <> all (${ignoredIds}::text[])`
    const found = await eventDifferences(trx, account, chunk, {
      scope,
      max: max - listed.length,
      values: true,
    })
    listed.push(...found.listed)
    total += found.total
    after = last
  }
  return { listed, total }
}
