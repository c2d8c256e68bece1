import { sql, type Kysely } from 'kysely'
import type { IntegerText } from '../../common/schema/items.ts'
import type { ErasedCounts, Tables } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { saveSuppressedResponses, type SuppressedResponse } from '../state/suppressions.ts'
import { clearPersonal, hasPersonal } from './forget.ts'

export function noneErased(): { -readonly [Name in keyof ErasedCounts]: number } {
  return { events: 0, responses: 0, versions: 0, rejects: 0, messages: 0 }
}

/** Every address of a response to these events, live or in a former version. */
export async function readEmailKeys(
  kysely: Kysely<Tables>,
  account: number,
  events: readonly string[],
): Promise<readonly EventEmailKey[]> {
  const { rows } = await sql<EventEmailKey>`
    select event_id, email_key
      from (select r.event_id, headcount.email_key(r.email) as email_key
              from headcount.responses r
             where r.account_id = ${account} and r.event_id = any (${events}::text[])
             union
            select h.event_id, ${historyKey}
              from headcount.response_history h
             where h.account_id = ${account} and h.event_id = any (${events}::text[])) addresses
     where email_key is not null`.execute(kysely)
  return rows
}

/** The events with a response that has or had one of these addresses. Reads all history: it has no index by address. */
export async function findEventsOf(
  kysely: Kysely<Tables>,
  account: number,
  emailKeys: readonly string[],
): Promise<readonly EventEmailKey[]> {
  const { rows } = await sql<EventEmailKey>`
    select r.event_id, headcount.email_key(r.email) as email_key
      from headcount.responses r
     where r.account_id = ${account} and headcount.email_key(r.email) = any (${emailKeys}::text[])
     union
    select h.event_id, ${historyKey}
      from headcount.response_history h
     where h.account_id = ${account} and ${historyKey} = any (${emailKeys}::text[])`.execute(kysely)
  return rows
}

/** An address among the responses to an event. */
export interface EventEmailKey {
  readonly event_id: string
  readonly email_key: string
}

const historyKey = sql`headcount.email_key(headcount_internal.stored_text(h.document->'email'))`

/** All events of which something may be held. */
export async function readEventIds(kysely: Kysely<Tables>, account: number): Promise<readonly string[]> {
  const { rows } = await sql<{ event_id: string }>`
    select event_id from headcount.sync_state where account_id = ${account} and event_id <> ''
     union
    select distinct event_id from headcount.responses where account_id = ${account}
     union
    select distinct event_id from headcount.response_history where account_id = ${account}
     order by 1`.execute(kysely)
  return rows.map(({ event_id }) => event_id)
}

/**
 * Notes and erases the responses to an event that have or had one of these addresses.
 *
 * @param hashes by address
 */
export async function eraseEvent(
  trx: Transaction,
  account: number,
  event_id: string,
  hashes: ReadonlyMap<string, string>,
): Promise<Pick<ErasedCounts, 'responses' | 'versions'>> {
  const keys = [...hashes.keys()]
  const { rows } = await sql<{ response_id: IntegerText; email_key: string }>`
    select r.id::text as response_id, headcount.email_key(r.email) as email_key
      from headcount.responses r
     where r.account_id = ${account} and r.event_id = ${event_id}
       and headcount.email_key(r.email) = any (${keys}::text[])
     union
    select h.response_id::text, ${historyKey}
      from headcount.response_history h
     where h.account_id = ${account} and h.event_id = ${event_id} and ${historyKey} = any (${keys}::text[])`.execute(
    trx.kysely,
  )
  const found = rows.flatMap(({ response_id, email_key }) => {
    const email_hash = hashes.get(email_key)
    return email_hash === undefined ? [] : [{ event_id, response_id, email_hash }]
  })
  await saveSuppressedResponses(trx, account, found)
  return eraseSuppressed(trx, account, [event_id])
}

/**
 * Erases what is left of the suppressed responses to these events: in the live tables, and in history in place. Neither the time of a change nor
 * history itself is touched: nothing has changed at the service. A list of which something was erased gets another version.
 */
async function eraseSuppressed(
  { kysely }: Transaction,
  account: number,
  events: readonly string[],
): Promise<Pick<ErasedCounts, 'responses' | 'versions'>> {
  const suppressed = (row: string, id: string) => sql`
    ${sql.ref(`${row}.account_id`)} = ${account} and ${sql.ref(`${row}.event_id`)} = any (${events}::text[])
      and exists (select from headcount.suppressed_responses k
                   where k.account_id = ${sql.ref(`${row}.account_id`)} and k.event_id = ${sql.ref(`${row}.event_id`)}
                     and k.response_id = ${sql.ref(`${row}.${id}`)})`
  // guard: version of an erased list
  await sql`
    update headcount.sync_state s
       set list_version = gen_random_uuid(),
           set_aside = greatest(0, s.set_aside - (
             select count(*) from headcount.set_aside a
              where a.account_id = s.account_id and a.event_id = s.event_id and a.response_id is not null
                and ${suppressed('a', 'response_id')}))
     where s.account_id = ${account} and s.event_id = any (${events}::text[])
       and exists (select from headcount.responses r where r.event_id = s.event_id and ${suppressed('r', 'id')} and ${hasPersonal})`.execute(
    kysely,
  )
  return clearPersonal(kysely, suppressed)
}

/** Notes responses that were found by their address, and erases what is held of them. */
export async function suppressResponses(
  trx: Transaction,
  account: number,
  found: readonly SuppressedResponse[],
): Promise<void> {
  await saveSuppressedResponses(trx, account, found)
  // guard: found by address
  await eraseSuppressed(trx, account, [...new Set(found.map(({ event_id }) => event_id))])
}
