/** What is known of links by their tokens. */
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../common/schema/tables.ts'
import { stateOf, type KeyState } from '../../mirror/keys/keys.ts'
import type { LinkContent } from '../../mirror/keys/links.ts'
import { COMPLETE_RUN, runAge } from '../stores/mirror/lookups.ts'

/** The result of a lookup; without `id` there is no such link. */
export interface FoundLink extends LinkContent {
  /** The schema version. */
  readonly schema: number
  readonly id: string | null
  readonly sha256: string
  readonly state: KeyState
  readonly account_id: number
  readonly account: string
  /** Whether no use of the link was recorded today. */
  readonly is_first_use: boolean
  /** Seconds since the start of the last run that read every due list; null: there was none. */
  readonly run_age: number | null
  /** The last run that erased or restored a person, and how it ended; null: there was none. */
  readonly erasure: string | null
}

/** Returns the results in the order of the hashes, which are in hexadecimal digits. */
export async function findLinks(
  kysely: Kysely<Tables>,
  hashes: readonly string[],
): Promise<readonly FoundLink[]> {
  const { rows } = await sql<FoundLink>`
    select (select max(number) from headcount.schema_migrations) as schema,
           link.id, link.sha256, ${stateOf('link')} as state, link.account_id, account.name as account,
           link.view, link.format, link.event_id, link.with_personal,
           link.last_used_on is distinct from (now() at time zone 'UTC')::date as is_first_use,
           ${runAge('link', COMPLETE_RUN)} as run_age,
           (select run.id || ' ' || run.status from headcount.sync_runs run
             where run.account_id = link.account_id and run.mode = 'erase' order by run.id desc limit 1) as erasure
      from unnest(${hashes}::text[]) with ordinality as q (sha256, turn)
      left join headcount.links link on link.sha256 = q.sha256
      left join headcount.accounts account on account.id = link.account_id
     order by q.turn`.execute(kysely)
  return rows
}
