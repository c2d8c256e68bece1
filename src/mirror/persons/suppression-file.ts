/** The suppression list of an account as a JSON document: what a backup of the database must be brought up to. */
import { sql } from 'kysely'
import { UsageError } from '../../common/errors.ts'
import type { JsonValue } from '../../common/json/exact.ts'
import type { IntegerText } from '../../common/schema/items.ts'
import type { Database } from '../../db/connect.ts'
import type { PersonKey } from '../../normalise/suppression/person-key.ts'
import { accountId } from '../accounts/resolve-account.ts'

/** An entry of such a document. */
export interface ImportedSuppression {
  /** HMAC-SHA-256 in hexadecimal digits. */
  readonly email_hash: string
  /** null: now. */
  readonly added_at: string | null
  readonly responses: readonly { readonly event_id: string; readonly ids: readonly IntegerText[] }[]
}

export interface SuppressionFile {
  readonly headcount_suppressions: 1
  readonly account: string
  /** By which the key is recognised. */
  readonly key_check: string | null
  readonly suppressions: readonly ImportedSuppression[]
}

/** Those whose key is lost are left out: without it they say nothing. */
export async function exportSuppressions(database: Database, account: string): Promise<SuppressionFile> {
  const id = await accountId(database, account)
  const { rows } = await sql<ImportedSuppression & { readonly key_check: string }>`
    select encode(s.email_hash, 'hex') as email_hash, s.added_at, s.key_check,
           coalesce((select json_agg(json_build_object('event_id', k.event_id, 'ids', k.ids) order by k.event_id)
                       from (select event_id, json_agg(response_id::text order by response_id) as ids
                               from headcount.suppressed_responses
                              where suppression_id = s.id
                              group by event_id) k), '[]') as responses
      from headcount.suppressions s
     where s.account_id = ${id} and s.email_hash is not null
     order by s.id`.execute(database.kysely)
  return {
    headcount_suppressions: 1,
    account,
    key_check: rows[0]?.key_check ?? null,
    suppressions: rows.map(({ key_check: _, ...entry }) => entry),
  }
}

/**
 * @param source what it is called in messages
 * @throws UsageError that names the place
 */
export function parseSuppressionFile(
  document: JsonValue,
  source: string,
  key: PersonKey,
): readonly ImportedSuppression[] {
  const wrong = (what: string): never => {
    throw new UsageError(
      `${source}: ${what}. It must be what "person suppressions --json" printed. Nothing was changed.`,
    )
  }
  const file = objectOf(document) ?? wrong('it is no JSON object')
  if (file['headcount_suppressions'] !== 1) wrong('headcount_suppressions is not 1')
  const entries = file['suppressions']
  if (!Array.isArray(entries)) return wrong('suppressions is no list')
  if (entries.length > 0 && file['key_check'] !== key.check)
    wrong('it was made with another key (key_check): set the key that was used then')
  return entries.map((value, index) => {
    const at = `suppressions[${index}]`
    const entry = objectOf(value) ?? wrong(`${at} is no object`)
    const { email_hash, added_at, responses } = entry
    if (typeof email_hash !== 'string' || !/^[0-9a-f]{64}$/.test(email_hash))
      return wrong(`${at}.email_hash is not 64 hexadecimal digits`)
    if (typeof added_at !== 'string' || Number.isNaN(Date.parse(added_at)))
      return wrong(`${at}.added_at is no time`)
    if (!Array.isArray(responses)) return wrong(`${at}.responses is no list`)
    return {
      email_hash,
      added_at,
      responses: responses.map((one, place) => {
        const response = objectOf(one)
        const { event_id, ids } = response ?? {}
        const areIds =
          Array.isArray(ids) && ids.every((id) => typeof id === 'string' && /^-?\d{1,19}$/.test(id))
        if (typeof event_id !== 'string' || !areIds)
          return wrong(`${at}.responses[${place}] is no event with ids`)
        return { event_id, ids: ids as readonly string[] }
      }),
    }
  })
}

function objectOf(value: JsonValue | undefined): Readonly<Record<string, JsonValue>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, JsonValue>>)
    : null
}
