/** Everything that a mirror holds of one person: for whoever asks what is stored of them. */
import { sql } from 'kysely'
import type { JsonObject } from '../../common/json/exact.ts'
import type { IntegerText, Timestamp } from '../../common/schema/items.ts'
import type { Database } from '../../db/connect.ts'
import type { Transaction } from '../../db/transaction.ts'
import { singleRow } from '../../load/statements.ts'
import { UsageError } from '../../common/errors.ts'
import { commandName } from '../../common/command-name.ts'
import { quote } from '../../common/parse-values.ts'
import { defineCall } from '../calls/call.ts'
import { accountFields, object, text } from '../calls/input.ts'
import { ofReadAccount } from '../answers/read-view.ts'
import { searchKeyFields, searchNotes } from './search.ts'
import { readMentions, joinAccount, type Mention, type ResponseKey } from './mentions.ts'

export interface PersonResponse {
  readonly account: string
  readonly event_id: string
  /** Of the event now, else the last one known. */
  readonly event_title: string | null
  readonly event_at: Timestamp | null
  readonly response_id: IntegerText
  /** The response as the service sends it: with its payment, its slots and unknown fields. */
  readonly document: JsonObject
}

/** A response of the person in the live tables. */
export interface HeldResponse extends PersonResponse {
  readonly first_seen_at: Timestamp
  readonly changed_at: Timestamp
  /** The run that stored it as it is. */
  readonly run_id: IntegerText
}

/** A former version of a response of the person in history. */
export interface HeldVersion extends PersonResponse {
  readonly valid_from: Timestamp
  readonly valid_to: Timestamp
  /** What ended it: update, or delete when the service returned the response no longer. */
  readonly operation: 'update' | 'delete'
  readonly begun_by_run_id: IntegerText | null
  readonly ended_by_run_id: IntegerText
}

export interface PersonRecord {
  /** The address in the form that identifies a person. */
  readonly email_key: string
  readonly responses: readonly HeldResponse[]
  /** The newest first. */
  readonly versions: readonly HeldVersion[]
  readonly mentions: readonly Mention[]
  /** In which accounts nobody is found by an address, and why. */
  readonly notes: readonly string[]
}

const readInput = object({
  ...accountFields,
  /** An e-mail address, in any spelling of upper and lower case. */
  email: text,
  ...searchKeyFields,
})

/** Reads every response and all history: there is no index for an address that is only in history. */
export const personCall = defineCall({
  name: 'person',
  changes: false,
  readInput,
  run: async (database, { account, email, pseudonym, key_check }): Promise<PersonRecord> => {
    requireAddress(email)
    const work = async (trx: Transaction): Promise<PersonRecord> => {
      const email_key = await readKey(trx, email)
      const keys = await findKeys(trx, account, pseudonym === null ? [email_key] : [email_key, pseudonym])
      return {
        email_key,
        responses: await readResponses(trx, keys),
        versions: await readVersions(trx, keys),
        mentions: await readMentions(trx, account, email_key, keys),
        notes: await searchNotes(trx, account, email, key_check),
      }
    }
    return ofReadAccount(database, account, work, { everyRow: true })
  },
})

function requireAddress(email: string): void {
  if (email.trim() === '' || !email.includes('@'))
    throw new UsageError(
      `person takes an e-mail address, not ${quote(email)}: for a name, ${commandName()} who shows the addresses.`,
    )
}

/**
 * The key by which the person of an address is found.
 *
 * @throws UsageError when the text is no address
 */
export async function emailKeyOf(database: Database, email: string): Promise<string> {
  requireAddress(email)
  return database.transaction((trx) => readKey(trx, email), { readOnly: true })
}

async function readKey({ kysely }: Transaction, email: string): Promise<string> {
  const { rows } = await sql<{ key: string }>`select headcount.email_key(${email}) as key`.execute(kysely)
  return singleRow(rows).key
}

/** The responses that have the address, or had it in a former version: whoever changed it is one person. */
async function findKeys(
  { kysely }: Transaction,
  account: string | null,
  emailKeys: readonly string[],
): Promise<readonly ResponseKey[]> {
  const { rows } = await sql<ResponseKey>`
    select r.account_id, r.event_id, r.id as response_id
      from headcount.responses r ${joinAccount(account, 'r')}
     where headcount.email_key(r.email) = any (${emailKeys}::text[])
     union
    select h.account_id, h.event_id, h.response_id
      from headcount.response_history h ${joinAccount(account, 'h')}
     where headcount.email_key(headcount_internal.stored_text(h.document->'email')) = any (${emailKeys}::text[])`.execute(
    kysely,
  )
  return rows
}

const keysAsRows = (keys: readonly ResponseKey[]) => sql`
  json_to_recordset(${JSON.stringify(keys)}::json) as k(account_id int, event_id text collate "C", response_id bigint)`

const eventValue = (column: 'title' | 'event_at', stored: string) => sql`
  case when e.id is not null then e.${sql.ref(column)}
       else (select headcount_internal.${sql.raw(stored)}(last.document->${sql.lit(column)})
               from headcount.event_history last
              where last.account_id = k.account_id and last.event_id = k.event_id
              order by last.valid_to desc, last.ended_by_run_id desc
              limit 1) end as ${sql.ref(`event_${column.replace('event_', '')}`)}`

const ofEvent = sql`
  a.name as account, k.event_id, ${eventValue('title', 'stored_text')}, ${eventValue('event_at', 'stored_instant')}, k.response_id::text`

const withEvent = sql`
  join headcount.accounts a on a.id = k.account_id
  left join headcount.events e on e.account_id = k.account_id and e.id = k.event_id`

async function readResponses(
  { kysely }: Transaction,
  keys: readonly ResponseKey[],
): Promise<readonly HeldResponse[]> {
  const { rows } = await sql<HeldResponse>`
    select ${ofEvent}, d.document, r._first_seen_at as first_seen_at, r._changed_at as changed_at, r._run_id::text as run_id
      from ${keysAsRows(keys)} ${withEvent}
      join headcount.responses r on r.account_id = k.account_id and r.event_id = k.event_id and r.id = k.response_id
      join headcount.response_documents d
        on d.account_id = r.account_id and d.event_id = r.event_id and d.response_id = r.id
     order by k.account_id, e.event_at desc nulls last, k.event_id, k.response_id`.execute(kysely)
  return rows
}

async function readVersions(
  { kysely }: Transaction,
  keys: readonly ResponseKey[],
): Promise<readonly HeldVersion[]> {
  const { rows } = await sql<HeldVersion>`
    select ${ofEvent}, h.document, h.valid_from, h.valid_to, h.operation, h.begun_by_run_id::text, h.ended_by_run_id::text
      from ${keysAsRows(keys)} ${withEvent}
      join headcount.response_history h
        on h.account_id = k.account_id and h.event_id = k.event_id and h.response_id = k.response_id
     order by k.account_id, h.valid_to desc, h.ended_by_run_id desc, k.event_id, k.response_id`.execute(
    kysely,
  )
  return rows
}
