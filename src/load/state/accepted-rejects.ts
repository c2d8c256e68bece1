import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'

/** The rejects that a call applies to: null means every account, or every list. */
export interface RejectScope {
  readonly account: string | null
  readonly event_id: string | null
}

/** A reject that its owner has accepted. */
export interface AcceptedReject {
  readonly account: string
  /** null: the event list itself. */
  readonly event_id: string | null
  readonly sha256: string
  readonly accepted_at: string
}

/** SQL: whether a row belongs to the scope; `a` is its account. */
function isIn({ account, event_id }: RejectScope, row: 'item' | 'reject' | 'kept') {
  return sql`(${account}::text is null or a.name = ${account})
       and (${event_id}::text is null or ${sql.ref(`${row}.event_id`)} = ${event_id})`
}

/** The SHA-256 sums of the table in this scope that begin with `prefix`. */
export async function findByHashPrefix(
  trx: Transaction,
  table: 'headcount.rejects' | 'headcount.accepted_rejects',
  scope: RejectScope,
  prefix: string,
): Promise<readonly string[]> {
  const { rows } = await sql<{ sha256: string }>`
    select distinct item.sha256
      from ${sql.table(table)} item
      join headcount.accounts a on a.id = item.account_id
     where starts_with(item.sha256, ${prefix})
       and ${isIn(scope, 'item')}
     order by item.sha256`.execute(trx.kysely)
  return rows.map(({ sha256 }) => sha256)
}

/**
 * Accepts the rejects with these sums in every list of the scope that has them now. Earlier acceptances keep their time.
 *
 * An acceptance outlives its item: when a list or an event disappears and comes back, it still applies.
 */
export async function acceptRejects(
  trx: Transaction,
  scope: RejectScope,
  sums: readonly string[],
): Promise<readonly AcceptedReject[]> {
  const matching = sql`
    select distinct reject.account_id, a.name as account, reject.event_id, reject.sha256
      from headcount.rejects reject
      join headcount.accounts a on a.id = reject.account_id
     where reject.sha256 = any (${sums}::text[])
       and ${isIn(scope, 'reject')}`
  await sql`
    insert into headcount.accepted_rejects (account_id, event_id, sha256)
    select account_id, event_id, sha256 from (${matching}) matching
        on conflict (account_id, event_id, sha256) do nothing`.execute(trx.kysely)
  const { rows } = await sql<AcceptedReject>`
    select matching.account, matching.event_id, matching.sha256, kept.accepted_at
      from (${matching}) matching
      join headcount.accepted_rejects kept
        on kept.account_id = matching.account_id and kept.event_id is not distinct from matching.event_id
       and kept.sha256 = matching.sha256
     order by matching.account, matching.event_id nulls first, matching.sha256`.execute(trx.kysely)
  return rows
}

/** Revokes acceptances, also of items that no longer exist. */
export async function revokeAccepted(
  trx: Transaction,
  scope: RejectScope,
  sums: readonly string[],
): Promise<readonly AcceptedReject[]> {
  const { rows } = await sql<AcceptedReject>`
    delete from headcount.accepted_rejects kept
     using headcount.accounts a
     where a.id = kept.account_id and kept.sha256 = any (${sums}::text[])
       and ${isIn(scope, 'kept')}
    returning a.name as account, kept.event_id, kept.sha256, kept.accepted_at`.execute(trx.kysely)
  return rows
}
