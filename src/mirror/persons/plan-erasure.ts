/** What an erasure would do: shown before anybody is asked. */
import { sql } from 'kysely'
import type { Database } from '../../db/connect.ts'
import type { PersonKey } from '../../normalise/suppression/person-key.ts'
import { singleRow } from '../../load/statements.ts'
import { areAddressesLeftOut } from '../../sync/open/field-rules.ts'
import type { Mention } from './mentions.ts'
import { searchKey } from './search.ts'
import { personCall } from './show.ts'

/** What an erasure will do. */
export interface ErasurePlan {
  readonly account: string
  readonly email_key: string
  /** Live responses, and former versions of responses. */
  readonly responses: number
  readonly versions: number
  /** The rows do not say whose they are: the next sync reads every list, and erases what has the address there. */
  readonly is_by_next_sync: boolean
  readonly events: readonly PlannedErasure[]
  /** Other addresses of the same responses: the person may have used them elsewhere. */
  readonly other_addresses: readonly string[]
  /** What other people wrote, what events say, recipients, labels, addresses inside other text: it stays. */
  readonly stays: readonly Mention[]
  /** Accounts of this mirror that hold something of the person, too. */
  readonly other_accounts: readonly string[]
}

/** Of one event. */
export interface PlannedErasure {
  readonly event_id: string
  readonly event_title: string | null
  readonly responses: number
  readonly versions: number
}

/** Places that an erasure cleans. */
const CLEANED = new Set(['rejects.payload', 'sync_state.error_message', 'sync_runs.report'])

/**
 * Reads what there is to erase.
 *
 * @throws UsageError when the text is no address
 */
export async function planErasure(
  database: Database,
  account: string,
  email: string,
  key: PersonKey | null,
): Promise<ErasurePlan> {
  const by = searchKey(email, key)
  const found = await personCall.run(database, { account: null, email, ...by }, { receive: async () => {} })
  const isHere = (row: { readonly account: string }) => row.account === account
  const responses = found.responses.filter(isHere)
  const versions = found.versions.filter(isHere)
  const events = Map.groupBy([...responses, ...versions], ({ event_id }) => event_id)
  const addresses = await readKeys(
    database,
    [...responses, ...versions].flatMap(({ document: { email: sent } }) =>
      typeof sent === 'string' ? [sent] : [],
    ),
  )
  const { rows } = await sql<{ is_left_out: boolean }>`
    select ${areAddressesLeftOut(sql`name = ${account}`)} as is_left_out`.execute(database.kysely)
  const others = [...found.responses, ...found.versions, ...found.mentions].filter((row) => !isHere(row))
  return {
    account,
    email_key: found.email_key,
    responses: responses.length,
    versions: versions.length,
    is_by_next_sync: singleRow(rows).is_left_out,
    events: [...events].map(([event_id, rows]) => {
      const former = rows.filter((row) => 'valid_to' in row).length
      const event_title = rows[0]?.event_title ?? null
      return { event_id, event_title, responses: rows.length - former, versions: former }
    }),
    other_addresses: addresses.filter((address) => address !== found.email_key && address !== by.pseudonym),
    stays: found.mentions.filter((mention) => isHere(mention) && !CLEANED.has(mention.place)),
    other_accounts: [...new Set(others.map((row) => row.account))],
  }
}

/** How many rows of a column name the address. */
export interface PlaceCount {
  /** Table and column, as `responses.message`. */
  readonly place: string
  readonly rows: number
}

/** The places of mentions, without what they say. */
export function countByPlace(mentions: readonly Mention[]): readonly PlaceCount[] {
  const found = Map.groupBy(mentions, ({ place }) => place)
  return [...found].map(([place, of]) => ({ place, rows: of.length }))
}

async function readKeys({ kysely }: Database, emails: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ key: string }>`
    select distinct headcount.email_key(email) as key
      from unnest(${emails}::text[]) email
     where headcount.email_key(email) is not null
     order by 1`.execute(kysely)
  return rows.map(({ key }) => key)
}
