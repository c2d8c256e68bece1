import { sql, type RawBuilder } from 'kysely'
import { PLAIN_FIELDS } from '../../common/schema/personal-data.ts'
import type { Transaction } from '../../db/transaction.ts'
import { keyRecordset } from './recordsets.ts'
import { assertRowCount, type WriteOptions } from '../statements.ts'

/** Why a version ended: a newer version replaced it, or the service no longer returned the item. */
type HistoryOperation = 'update' | 'delete'

/**
 * Copies the live versions of these responses into history, before they are updated or deleted. A transaction has one
 * time stamp (`now()`), so that the versions of a row leave no gap.
 */
export async function archiveResponses(
  trx: Transaction,
  options: WriteOptions,
  operation: HistoryOperation,
  keys: readonly { event_id: string; id: string }[],
): Promise<void> {
  if (!options.history) return
  // guard: one time stamp a transaction
  const result = await sql`
    insert into headcount.response_history (account_id, event_id, response_id, valid_from, valid_to, operation,
                                            document, begun_by_run_id, ended_by_run_id)
    select d.account_id, d.event_id, d.response_id, d._changed_at, greatest(now(), d._changed_at), ${operation},
           d.document, d._run_id, ${options.run}
      from headcount.response_documents d
      join (${keyRecordset(keys)}) k on k.event_id = d.event_id and k.id = d.response_id
     where d.account_id = ${options.account}`.execute(trx.kysely)
  assertRowCount('headcount.response_history', keys.length, result)
}

/**
 * Stores live versions of responses again in another form, without former versions: nothing has changed at the service. The version before each
 * keeps its form.
 *
 * @param keys a recordset `(event_id, id)`
 */
export async function restateResponses<Result>(
  trx: Transaction,
  account: number,
  keys: RawBuilder<unknown>,
  write: () => Promise<Result>,
): Promise<Result> {
  const { rows } = await sql`
    select d.event_id, d.response_id::text, d.document::text
      from headcount.response_documents d
      join (${keys}) k on k.event_id = d.event_id and k.id = d.response_id
     where d.account_id = ${account}
       and exists (select from headcount.response_history h where ${isVersionBefore(account)})`.execute(
    trx.kysely,
  )
  const result = await write()
  const before = sql`
    select event_id, response_id, document::jsonb
      from json_to_recordset(${JSON.stringify(rows)}::json) as item(event_id text, response_id bigint, document text)`
  if (rows.length > 0) await noteRestated(trx, account, before, sql`true`)
  return result
}

/** As `restateResponses`, of responses that changed as well, and were written with their former versions: what differs in personal data is no change. */
export async function noteRestatedPersonal(
  trx: Transaction,
  account: number,
  keys: readonly { event_id: string; id: string }[],
): Promise<void> {
  const before = sql`
    select h.event_id, h.response_id, h.document
      from headcount.response_history h
      join headcount.response_documents d on ${isVersionBefore(account)}
      join (${keyRecordset(keys)}) k on k.event_id = d.event_id and k.id = d.response_id`
  const isPersonalField = sql`
    case when key = 'slots' then headcount_internal.slots_without_personal(b.document->key) = headcount_internal.slots_without_personal(d.document->key)
         else key <> all (${[...PLAIN_FIELDS.response.keys()]}::text[]) end`
  await noteRestated(trx, account, before, isPersonalField)
}

/** SQL: whether a version `h` was followed by the live version `d`. */
const isVersionBefore = (account: number) => sql`
  h.account_id = ${account} and d.account_id = ${account} and h.event_id = d.event_id and h.response_id = d.response_id
   and h.operation = 'update' and h.valid_to = d._changed_at`

/**
 * Notes in the version before each live one which fields are not comparable any more.
 *
 * @param before a recordset `b` of (event_id, response_id, document): how they were stored before
 * @param isRestated whether a difference in the field `key` is one of form
 */
async function noteRestated(
  { kysely }: Transaction,
  account: number,
  before: RawBuilder<unknown>,
  isRestated: RawBuilder<unknown>,
): Promise<void> {
  // guard: restated is no change
  await sql`
    update headcount.response_history h
       set restated_fields = array(select distinct unnest(h.restated_fields || differing.fields) order by 1)
      from (${before}) b
      join headcount.response_documents d
        on d.account_id = ${account} and d.event_id = b.event_id and d.response_id = b.response_id
     cross join lateral (
       select array_agg(key) as fields
         from jsonb_object_keys(b.document || d.document) key
        where b.document->key is distinct from d.document->key and ${isRestated}) differing
     where ${isVersionBefore(account)} and differing.fields is not null`.execute(kysely)
}

/** SQL: whether the database's clock is behind the end of any version of a response. */
const CLOCK_IS_BEHIND = 'coalesce((select max(valid_to) > now() from headcount.response_history), false)'

export async function isClockBehind(trx: Transaction): Promise<boolean> {
  const { rows } = await trx.query(`select ${CLOCK_IS_BEHIND}`)
  // guard: clock set back
  return rows[0]?.[0] === true
}

/**
 * The start of a response's new version when the clock was set back: not before the end of its last version, so that
 * versions do not overlap.
 */
export function responseValidFrom(account: number): RawBuilder<unknown> {
  return sql`greatest(now(), (
               select max(h.valid_to)
                 from headcount.response_history h
                where h.account_id = ${account} and h.event_id = incoming.event_id and h.response_id = incoming.id
             ))`
}

/**
 * The start of an event's new version. The statement reads the latest end of all versions once. It looks up each key
 * only when that end is in the future.
 */
export function eventValidFrom(account: number): RawBuilder<unknown> {
  return sql`case when (select max(valid_to) from headcount.event_history) > now() then greatest(now(), (
               select max(h.valid_to)
                 from headcount.event_history h
                where h.account_id = ${account} and h.event_id = incoming.id
             )) else now() end`
}

/** Copies the live versions of these events into history, before they are updated or deleted. */
export async function archiveEvents(
  trx: Transaction,
  options: WriteOptions,
  operation: HistoryOperation,
  events: readonly { readonly id: string }[],
): Promise<void> {
  if (!options.history) return
  const result = await sql`
    insert into headcount.event_history (account_id, event_id, valid_from, valid_to, operation,
                                         document, begun_by_run_id, ended_by_run_id)
    select e.account_id, e.id, e._changed_at, greatest(now(), e._changed_at), ${operation},
           headcount_internal.event_document(e), e._run_id, ${options.run}
      from headcount.events e
     where e.account_id = ${options.account} and e.id = any (${events.map(({ id }) => id)}::text[])`.execute(
    trx.kysely,
  )
  assertRowCount('headcount.event_history', events.length, result)
}
