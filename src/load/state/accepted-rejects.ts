import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'

/** Which rejects a call means: of every account and of every list, unless named. */
export interface AcceptanceScope {
  readonly account: string | null
  readonly event_id: string | null
}

/** A reject that its owner can live with. */
export interface Acceptance {
  readonly account: string
  /** null: the list of events itself. */
  readonly event_id: string | null
  readonly sha256: string
  readonly accepted_at: string
}

/** The SHA-256 sums in this scope that begin with `prefix`: of the rejects, or of what was accepted before. */
export async function sumsFrom(
  trx: Transaction,
  table: 'headcount.rejects' | 'headcount.accepted_rejects',
  { account, event_id }: AcceptanceScope,
  prefix: string,
): Promise<readonly string[]> {
  const { rows } = await sql<{ sha256: string }>`
    select distinct item.sha256
      from ${sql.table(table)} item
      join headcount.accounts a on a.id = item.account_id
     where starts_with(item.sha256, ${prefix})
       and (${account}::text is null or a.name = ${account})
       and (${event_id}::text is null or item.event_id = ${event_id})
     order by item.sha256`.execute(trx.kysely)
  return rows.map(({ sha256 }) => sha256)
}

/**
 * Accepts the rejects with these sums, in every list of the scope that has them now. What was accepted before
 * keeps its time.
 *
 * An acceptance is kept when its item is gone: a service that flaps, or an event that vanishes and comes back,
 * would otherwise ask its owner the same question again.
 */
export async function acceptRejects(
  trx: Transaction,
  { account, event_id }: AcceptanceScope,
  sums: readonly string[],
): Promise<readonly Acceptance[]> {
  const meant = sql`
    select distinct reject.account_id, a.name as account, reject.event_id, reject.sha256
      from headcount.rejects reject
      join headcount.accounts a on a.id = reject.account_id
     where reject.sha256 = any (${sums}::text[])
       and (${account}::text is null or a.name = ${account})
       and (${event_id}::text is null or reject.event_id = ${event_id})`
  await sql`
    insert into headcount.accepted_rejects (account_id, event_id, sha256)
    select account_id, event_id, sha256 from (${meant}) meant
        on conflict (account_id, event_id, sha256) do nothing`.execute(trx.kysely)
  const { rows } = await sql<Acceptance>`
    select meant.account, meant.event_id, meant.sha256, kept.accepted_at
      from (${meant}) meant
      join headcount.accepted_rejects kept
        on kept.account_id = meant.account_id and kept.event_id is not distinct from meant.event_id
       and kept.sha256 = meant.sha256
     order by meant.account, meant.event_id nulls first, meant.sha256`.execute(trx.kysely)
  return rows
}

/** Takes acceptances back, whether their items are still there or not. */
export async function revokeAcceptances(
  trx: Transaction,
  { account, event_id }: AcceptanceScope,
  sums: readonly string[],
): Promise<readonly Acceptance[]> {
  const { rows } = await sql<Acceptance>`
    delete from headcount.accepted_rejects kept
     using headcount.accounts a
     where a.id = kept.account_id and kept.sha256 = any (${sums}::text[])
       and (${account}::text is null or a.name = ${account})
       and (${event_id}::text is null or kept.event_id = ${event_id})
    returning a.name as account, kept.event_id, kept.sha256, kept.accepted_at`.execute(trx.kysely)
  return rows
}
