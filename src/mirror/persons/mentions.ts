/** Where a mirror names an address beside the responses of the person. */
import { sql } from 'kysely'
import type { IntegerText } from '../../common/schema/items.ts'
import type { Transaction } from '../../db/transaction.ts'
import { findNaming } from '../../normalise/suppression/addresses-in-text.ts'
import { emailKey } from '../../normalise/suppression/email-key.ts'

/** A place that names the address beside the responses of the person. */
export interface Mention {
  readonly account: string
  /** Table and column, as `rejects.payload`. */
  readonly place: string
  readonly event_id: string | null
  /** Which row of it: the number of a response, a run, a delivery, a key or a link, or an index in a list. */
  readonly row: string | null
  readonly text: string
}

export interface ResponseKey {
  readonly account_id: number
  readonly event_id: string
  readonly response_id: IntegerText
}

/** Names the account of a row; null: of every one. */
export const joinAccount = (account: string | null, row: string) => sql`
  join headcount.accounts a on a.id = ${sql.ref(`${row}.account_id`)} and (${account}::text is null or a.name = ${account})`

/** A table, its column, how a row is called, and the text that is searched. */
const places = [
  ['responses.email', 'responses', 'event_id', 'id', 'email'],
  ['responses.message', 'responses', 'event_id', 'id', 'message'],
  ['responses.name', 'responses', 'event_id', 'id', 'name'],
  ['responses._extra', 'responses', 'event_id', 'id', '_extra::text'],
  ['slots.name', 'slots', 'event_id', 'response_id', 'name'],
  ['slots._extra', 'slots', 'event_id', 'response_id', '_extra::text'],
  ['response_history.document', 'response_history', 'event_id', 'response_id', 'document::text'],
  ['events.title', 'events', 'id', null, 'title'],
  ['events.description', 'events', 'id', null, 'description'],
  ['events.location', 'events', 'id', null, 'location'],
  ['events._extra', 'events', 'id', null, '_extra::text'],
  ['event_history.document', 'event_history', 'event_id', null, 'document::text'],
  ['rejects.payload', 'rejects', 'event_id', 'item_index', 'payload'],
  ['sync_state.error_message', 'sync_state', 'event_id', null, 'error_message'],
  ['sync_runs.report', 'sync_runs', null, 'id', 'report::text'],
  ['accounts.email', 'accounts', null, null, 'email'],
  ['deliveries.recipient', 'deliveries', 'event_id', 'id', 'recipient'],
  ['deliveries.error_message', 'deliveries', 'event_id', 'id', 'error_message'],
  ['api_keys.label', 'api_keys', null, 'id', 'label'],
  ['links.label', 'links', 'event_id', 'id', 'label'],
] as const

/** Their rows are parts of a response, which may be the person's own. */
const PARTS_OF_RESPONSES: ReadonlySet<string> = new Set(['responses', 'slots', 'response_history'])
/** Each holds one address, which is another person's when it only ends or begins like this one: x.ada@example.org. */
const ADDRESSES: ReadonlySet<string> = new Set(['responses.email', 'deliveries.recipient'])
/** Where the address of a response stands: spelled in another case, it may be the same person's. */
const OF_RESPONSES: ReadonlySet<string> = new Set(['responses.email', 'response_history.document'])
/** What stands between an address and the text around it. */
const SEPARATORS = /[\s\p{Z}\p{C}<>()[\],;:"“”„|`?&=]+/u

/** Characters around the address in what is shown of a text. */
const AROUND = 60
/** Texts read at once; one has 64 KiB at most. */
const TEXTS_PER_READ = 100

type Row = Mention & Pick<ResponseKey, 'account_id'>

/**
 * Reads every text that could name the address.
 *
 * @param own the responses of the person
 */
export async function readMentions(
  trx: Transaction,
  account: string | null,
  key: string,
  own: readonly ResponseKey[],
): Promise<readonly Mention[]> {
  const ownKeys = new Set(own.map(keyText))
  const mentions: Mention[] = []
  const others = await readOtherSpellings(trx, account, key)
  for (const place of places) {
    const [name, table] = place
    const spellings = OF_RESPONSES.has(name) ? [key, ...others] : [key]
    const found = await Array.fromAsync(spellings, (spelling) => readPlace(trx, account, spelling, place))
    for (const { account_id, ...mention } of found.flat()) {
      const { event_id, row } = mention
      const isOwn =
        PARTS_OF_RESPONSES.has(table) &&
        event_id !== null &&
        row !== null &&
        ownKeys.has(keyText({ account_id, event_id, response_id: row }))
      if (!isOwn) mentions.push(mention)
    }
    if (name === 'rejects.payload') mentions.push(...(await readEscaped(trx, account, key)))
  }
  return mentions
}

/**
 * Keys of stored addresses that differ from this one only in upper and lower case. They are other people's, for a key has only the
 * letters A to Z in lower case: whoever asks for all that is held of somebody, or erases it, has to hear of them.
 */
async function readOtherSpellings(
  { kysely }: Transaction,
  account: string | null,
  key: string,
): Promise<readonly string[]> {
  if (Buffer.byteLength(key) === key.length) return []
  const { rows } = await sql<{ key: string }>`
    select distinct headcount.email_key(found.email) as key
      from (select r.email from headcount.responses r ${joinAccount(account, 'r')}
            union all
            select headcount_internal.stored_text(h.document->'email')
              from headcount.response_history h ${joinAccount(account, 'h')}) found
     where octet_length(found.email) <> length(found.email)
     order by 1`.execute(kysely)
  const folded = key.toLowerCase()
  return rows.map((row) => row.key).filter((other) => other !== key && other.toLowerCase() === folded)
}

async function readPlace(
  { kysely }: Transaction,
  account: string | null,
  key: string,
  [place, table, event, row, text]: (typeof places)[number],
): Promise<readonly Row[]> {
  const isAddress = ADDRESSES.has(place)
  const { rows } = await sql<Row & { readonly whole: string | null }>`
    select a.id as account_id, a.name as account, ${place} as place, ${sql.raw(event === null ? 'null' : `v.${event}`)} as event_id,
           ${sql.raw(row === null ? 'null' : `v.${row}::text`)} as row,
           substr(v.text, greatest(1, v.at - ${AROUND}), length(${key}) + ${2 * AROUND}) as text,
           ${sql.raw(isAddress ? 'v.text' : 'null')} as whole
      from (select t.*, ${sql.raw(`t.${text}`)} as text, ${positionIn(key, `t.${text}`)} as at
              from ${sql.table(`headcount.${table}`)} t) v
      join headcount.accounts a on a.id = ${sql.raw(table === 'accounts' ? 'v.id' : 'v.account_id')}
       and (${account}::text is null or a.name = ${account})
     where v.at > 0
     order by 1, 4, 5`.execute(kysely)
  return rows.flatMap(({ whole, ...found }) => (whole === null || holdsAddress(whole, key) ? [found] : []))
}

/** Where the address stands in a text as it is, from 1; 0 when it does not. */
function positionIn(key: string, text: string) {
  return sql`position(${key} in lower(normalize(${sql.raw(text)}, NFC) collate "C"))`
}

/** Whether a field that holds an address, and maybe text around it, holds this one. */
function holdsAddress(field: string, key: string): boolean {
  if (SEPARATORS.test(key)) return true
  return field
    .split(SEPARATORS)
    .some((part) =>
      [part, part.replaceAll(/^['.]+|['.]+$/g, '')].some((address) => emailKey(address) === key),
    )
}

/** Items that cannot be stored are kept as they were sent: escapes may hide the address, and an erasure finds it all the same. */
async function readEscaped(
  { kysely }: Transaction,
  account: string | null,
  key: string,
): Promise<readonly Mention[]> {
  const mentions: Mention[] = []
  let last = { account_id: 0, event_id: null as string | null, item_index: 0 }
  for (;;) {
    const { rows } = await sql<typeof last & { readonly account: string; readonly payload: string }>`
      select j.account_id, a.name as account, j.event_id, j.item_index, j.payload
        from headcount.rejects j ${joinAccount(account, 'j')}
       where position(${'\\'} in j.payload) > 0 and ${positionIn(key, 'j.payload')} = 0
         and (j.account_id, coalesce(j.event_id, ''), j.item_index)
             > (${last.account_id}::int, ${last.event_id ?? ''}::text, ${last.item_index}::int)
       order by j.account_id, coalesce(j.event_id, ''), j.item_index
       limit ${TEXTS_PER_READ}`.execute(kysely)
    for (const { account: name, event_id, item_index, payload } of rows) {
      const naming = findNaming(payload, (address) => emailKey(address) === key)
      if (naming === null) continue
      mentions.push({
        account: name,
        place: 'rejects.payload',
        event_id,
        row: String(item_index),
        text: excerpt(naming, key),
      })
    }
    const end = rows.at(-1)
    if (end === undefined || rows.length < TEXTS_PER_READ) return mentions
    last = end
  }
}

function excerpt(text: string, key: string): string {
  const at = Math.max(0, text.normalize('NFC').toLowerCase().indexOf(key))
  return text.slice(Math.max(0, at - AROUND), at + key.length + AROUND).toWellFormed()
}

const keyText = ({ account_id, event_id, response_id }: ResponseKey) =>
  `${account_id} ${response_id} ${event_id}`
