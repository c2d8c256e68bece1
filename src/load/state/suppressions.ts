import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../common/schema/tables.ts'
import type { IntegerText } from '../../common/schema/items.ts'
import type { Transaction } from '../../db/transaction.ts'
import { singleRow } from '../statements.ts'

/** An entry of the suppression list. */
export interface StoredSuppression {
  readonly id: IntegerText
  /** Hexadecimal digits; null when the key that made it is lost. */
  readonly email_hash: string | null
  readonly key_check: string
  /** Null while the erasure is under way, or was broken off. */
  readonly erased_at: string | null
}

/** The suppression list of an account, empty for most. */
export async function readSuppressions(
  kysely: Kysely<Tables>,
  account: number,
): Promise<readonly StoredSuppression[]> {
  return kysely
    .selectFrom('headcount.suppressions')
    .select(['id', 'key_check', 'erased_at'])
    .select(sql<string | null>`encode(email_hash, 'hex')`.as('email_hash'))
    .where('account_id', '=', account)
    .orderBy('id')
    .execute()
}

/** The ids of suppressed responses, by event. */
export async function readSuppressedResponses(
  kysely: Kysely<Tables>,
  account: number,
): Promise<ReadonlyMap<string, ReadonlySet<IntegerText>>> {
  const { rows } = await sql<{ event_id: string; ids: readonly IntegerText[] }>`
    select event_id, array_agg(distinct response_id::text) as ids
      from headcount.suppressed_responses
     where account_id = ${account}
     group by event_id`.execute(kysely)
  return new Map(rows.map(({ event_id, ids }) => [event_id, new Set(ids)]))
}

/** Another text whenever the suppression list of the account is another one. */
export async function suppressionsVersion(kysely: Kysely<Tables>, account: number): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    select concat_ws(' ', count(*), coalesce(max(id), 0), count(erased_at)) as version
      from headcount.suppressions
     where account_id = ${account}`.execute(kysely)
  return singleRow(rows).version
}

/** A response of an erased person. */
export interface SuppressedResponse {
  readonly event_id: string
  readonly response_id: IntegerText
  readonly email_hash: string
}

/** Notes responses that were found by their address, so that they stay suppressed by their ids. */
export async function saveSuppressedResponses(
  { kysely }: Transaction,
  account: number,
  found: readonly SuppressedResponse[],
): Promise<void> {
  await sql`
    insert into headcount.suppressed_responses (account_id, event_id, response_id, suppression_id)
    select distinct s.account_id, f.event_id, f.response_id, s.id
      from json_to_recordset(${JSON.stringify(found)}::json) as f(event_id text, response_id bigint, email_hash text)
      join headcount.suppressions s on s.account_id = ${account} and s.email_hash = decode(f.email_hash, 'hex')
        on conflict do nothing`.execute(kysely)
}

/** Whether a person was erased or restored since the list had that version, or is being erased. */
export async function isErasing(kysely: Kysely<Tables>, account: number, version: string): Promise<boolean> {
  const { rows } = await sql<{ unfinished: boolean }>`
    select exists (select from headcount.suppressions
                    where account_id = ${account} and erased_at is null) as unfinished`.execute(kysely)
  return singleRow(rows).unfinished || (await suppressionsVersion(kysely, account)) !== version
}
