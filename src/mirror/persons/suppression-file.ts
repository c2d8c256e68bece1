/** The suppression list of an account as a JSON document: what a backup of the database must be brought up to. */
import { sql } from 'kysely'
import { UsageError } from '../../common/errors.ts'
import { isObject, type JsonValue } from '../../common/json/exact.ts'
import { optionName } from '../../common/options/option-names.ts'
import type { IntegerText } from '../../common/schema/items.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { Database } from '../../db/connect.ts'
import type { PersonKey } from '../../normalise/suppression/person-key.ts'
import { readBigint, readEventId } from '../../normalise/values/ids.ts'
import { isTimestamp } from '../../normalise/values/timestamps.ts'
import { accountId } from '../accounts/resolve-account.ts'

/** An entry of such a document. */
export interface ImportedSuppression {
  /** HMAC-SHA-256 in hexadecimal digits; null: the key is lost, and the person is known by the ids of the responses alone. */
  readonly email_hash: string | null
  /** null: now. */
  readonly added_at: string | null
  readonly responses: readonly { readonly event_id: string; readonly ids: readonly IntegerText[] }[]
}

export interface SuppressionFile {
  readonly headcount_suppressions: 1
  readonly account: string
  /** By which the key of the hashes is recognised; null without hashes. */
  readonly key_check: string | null
  readonly suppressions: readonly ImportedSuppression[]
}

/** An entry of the table. */
export interface StoredEntry extends ImportedSuppression {
  readonly id: IntegerText
  readonly key_check: string
}

/** Who is on the list of an account, but for those of whom nothing is known: neither hash nor response. */
export async function readEntries(
  { kysely }: Pick<Database, 'kysely'>,
  account: number,
): Promise<readonly StoredEntry[]> {
  const { rows } = await sql<StoredEntry>`
    select s.id::text, encode(s.email_hash, 'hex') as email_hash, s.added_at, s.key_check,
           coalesce((select json_agg(json_build_object('event_id', k.event_id, 'ids', k.ids) order by k.event_id)
                       from (select event_id, json_agg(response_id::text order by response_id) as ids
                               from headcount.suppressed_responses
                              where suppression_id = s.id
                              group by event_id) k), '[]') as responses
      from headcount.suppressions s
     where s.account_id = ${account}
     order by s.id`.execute(kysely)
  return rows.filter(isKnown)
}

/** Without a hash and without responses an entry names nobody. */
function isKnown({ email_hash, responses }: ImportedSuppression): boolean {
  return email_hash !== null || responses.length > 0
}

export async function exportSuppressions(database: Database, account: string): Promise<SuppressionFile> {
  const entries = await readEntries(database, await accountId(database, account))
  return {
    headcount_suppressions: 1,
    account,
    key_check: entries.find(({ email_hash }) => email_hash !== null)?.key_check ?? null,
    suppressions: entries.map(({ email_hash, added_at, responses }) => ({ email_hash, added_at, responses })),
  }
}

/** A list as it was given. */
export interface GivenList {
  /** What messages call it: the file, or the option of the library. */
  readonly source: string
  readonly document: JsonValue
}

/** A list that was read. */
export interface SuppressionList {
  readonly source: string
  readonly account: string
  readonly entries: readonly ImportedSuppression[]
}

/**
 * Reads the list of one account.
 *
 * @throws UsageError that names the place; also when the list is that of another account
 */
export function parseListOf(account: string, given: GivenList, key: PersonKey): SuppressionList {
  const list = parseSuppressionFile(given, key)
  // guard: list of another account
  if (list.account === account) return list
  const [theirs, own] = [list.account, account].map((name) => `"${stripControlCharsInLine(name)}"`)
  throw new UsageError(
    `${list.source} is the list of account ${theirs}, not of ${own}: its ids of responses may name other people there. Nothing was ` +
      `erased. Name the right account with ${optionName('account')}. If the account was renamed since, change "account" in the list ` +
      `to its present name.`,
  )
}

/** @throws UsageError that names the place */
export function parseSuppressionFile({ source, document }: GivenList, key: PersonKey): SuppressionList {
  const wrong = (what: string): never => {
    throw notAList(source, what)
  }
  if (!isObject(document)) return wrong('it is no JSON object')
  const { headcount_suppressions, account, suppressions, key_check } = document
  if (headcount_suppressions !== 1) wrong('headcount_suppressions is not 1')
  if (typeof account !== 'string') return wrong('account is no name')
  if (!Array.isArray(suppressions)) return wrong('suppressions is no list')
  const all = suppressions.map((value, index) => parseEntry(value, `suppressions[${index}]`, wrong))
  const entries = all.filter(isKnown)
  if (entries.some(({ email_hash }) => email_hash !== null) && key_check !== key.check)
    throw new UsageError(
      `${source}: it was made with another key (key_check) than that of ${optionName('personKey')}. Nothing was changed. Set the key ` +
        `that was used then. If it is lost, set every email_hash in the list to null: the ids of the responses still say who.`,
    )
  return { source, account, entries }
}

export function notAList(source: string, what: string): UsageError {
  return new UsageError(
    `${source}: ${what}. It must be what "person suppressions --json" printed. Nothing was changed.`,
  )
}

function parseEntry(value: JsonValue, at: string, wrong: (what: string) => never): ImportedSuppression {
  if (!isObject(value)) return wrong(`${at} is no object`)
  const { email_hash, added_at, responses } = value
  if (email_hash !== null && !(typeof email_hash === 'string' && /^[0-9a-f]{64}$/.test(email_hash)))
    return wrong(`${at}.email_hash is neither 64 hexadecimal digits nor null`)
  if (typeof added_at !== 'string' || !isTimestamp(added_at)) return wrong(`${at}.added_at is no time`)
  if (!Array.isArray(responses)) return wrong(`${at}.responses is no list`)
  return {
    email_hash,
    added_at,
    responses: responses.map((response, place) => parseIds(response, `${at}.responses[${place}]`, wrong)),
  }
}

function parseIds(value: JsonValue, at: string, wrong: (what: string) => never) {
  if (!isObject(value)) return wrong(`${at} is no object`)
  const { event_id, ids } = value
  if (!Array.isArray(ids)) return wrong(`${at}.ids is no list`)
  return {
    event_id: readEventId(event_id ?? null) ?? wrong(`${at}.event_id is no id of an event`),
    ids: ids.map((id, place) => readBigint(id) ?? wrong(`${at}.ids[${place}] is no id of a response`)),
  }
}
