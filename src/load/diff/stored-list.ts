/** What `verify` asks of the live tables, a piece at a time; reads only. */
import { sql } from 'kysely'
import type { EventItem, HeldGroup, ResponseItem } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { eventDifferences, responseDifferences } from './column-diff.ts'
import type { Difference, Differences, Scope } from './column-diff.ts'
import type { EventResponse } from '../write/recordsets.ts'
import { digestInHexadecimal } from '../state/sync-state.ts'
import { words } from '../split-ids.ts'
import { inStatements, onlyRow, pieces } from '../statements.ts'

/** What the mirror vouches for: the digest of the list that it holds, and what it holds besides. */
export interface Vouched {
  /** Null while something of the list is held, or absences are unconfirmed. */
  readonly digest: string | null
  readonly held_deletions: readonly HeldGroup[]
  /** Rows that one reading of the list in several pages lacked. */
  readonly unconfirmed_absences: readonly string[]
  readonly error_code: string | null
}

/** What is known of a list in this view of the mirror; null when it was never read. */
export async function readVouched(
  trx: Transaction,
  account: number,
  event_id: string,
): Promise<Vouched | null> {
  const known = await trx.kysely
    .selectFrom('headcount.sync_state')
    .select([digestInHexadecimal, 'held_deletions', 'unconfirmed_absences', 'error_code'])
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

/** The responses to an event as the service answers them. */
export interface ExpectedResponses {
  rows(): AsyncIterable<readonly ResponseItem[]>
  /** Whether there may be a live row with this id: one of the rows, held, not confirmed absent, or of a rejected item. */
  allows(id: string): boolean
}

/** Compares every response to one event. At most `most` differences are listed, all are counted. */
export async function compareResponses(
  trx: Transaction,
  account: number,
  event_id: string,
  expected: ExpectedResponses,
  most: number,
): Promise<Differences> {
  const listed: Difference[] = []
  let total = 0
  const compare = async (ids: readonly string[], responses: readonly EventResponse[]) => {
    const scope: Scope = (id) => sql`live.event_id = ${event_id} and ${id} = any (${ids}::bigint[])`
    const comparison = { scope, most: most - listed.length, values: true }
    const found = await responseDifferences(trx, account, responses, comparison)
    listed.push(...found.listed)
    total += found.total
  }
  for await (const rows of inStatements(expected.rows())) {
    const responses = rows.map((response) => ({ event_id, response }))
    await compare(
      rows.map(({ id }) => id),
      responses,
    )
  }
  const others = await liveIds(trx, account, event_id)
  const extra = words(others)
    .filter((id) => !expected.allows(id))
    .toArray()
  for (const ids of pieces(extra)) await compare(ids, [])
  return { listed, total }
}

/** Ids of everything live that hangs on an event, in one text. */
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
  return onlyRow(rows).ids
}

/** The records of events as the service answers them, sorted by id. */
export interface ExpectedEvents {
  readonly rows: readonly EventItem[]
  /** Live rows with these ids are not compared: held, or of an item that was rejected. */
  readonly protectedIds: readonly string[]
}

/** Compares the records of all events; with `onlyThese` no other live event is looked at. */
export function compareEvents(
  trx: Transaction,
  account: number,
  { rows, protectedIds }: ExpectedEvents,
  onlyThese: boolean,
  most: number,
): Promise<Differences> {
  return inPieces(rows, most, (piece, { after, upTo }, left) => {
    const ids = piece.map(({ id }) => id)
    const scope: Scope = (id) =>
      onlyThese
        ? sql`${id} = any (${ids}::text[])`
        : sql`
      (${after}::text is null or ${id} > ${after}::text)
        and (${upTo}::text is null or ${id} <= ${upTo}::text)
        and ${id} <> all (${protectedIds}::text[])`
    return eventDifferences(trx, account, piece, { scope, most: left, values: true })
  })
}

/** Between which ids a piece stands: each live row belongs to one piece, those behind the last one to the last. */
interface Span {
  readonly after: string | null
  readonly upTo: string | null
}

async function inPieces<Row extends { readonly id: string }>(
  rows: readonly Row[],
  most: number,
  compare: (piece: readonly Row[], span: Span, most: number) => Promise<Differences>,
): Promise<Differences> {
  const listed: Difference[] = []
  let total = 0
  let after: string | null = null
  let left = rows.length
  for (const piece of rows.length === 0 ? [[]] : pieces(rows)) {
    left -= piece.length
    const last: string | null = piece.at(-1)?.id ?? null
    const found = await compare(piece, { after, upTo: left === 0 ? null : last }, most - listed.length)
    listed.push(...found.listed)
    total += found.total
    after = last
  }
  return { listed, total }
}
