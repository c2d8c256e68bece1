/** A backfill that was broken off is continued by the next one: what it has read is not read again. */
import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import type { ListState } from '../../load/state/sync-state.ts'
import { NORMALISER_VERSION } from '../../normalise/version.ts'
import { singleRow } from '../../load/statements.ts'

/** Older than this, what a backfill has read proves too little: the next one begins anew. */
const MAX_RESUME_HOURS = 24

/** The backfill that a run belongs to: a chain of runs, each continuing the one before. */
export interface Backfill {
  /** The number of its first run (sync_runs.id); `sync_state.backfill_id` of the lists that it has read. */
  readonly id: string
  /** When it began, if this run continues it; null when it begins with this run. */
  readonly resumedFrom: string | null
}

/**
 * Continues the last backfill of the account if it began within 24 hours and did not read every event; begins a
 * new one otherwise, or when the user wants it (`--restart`).
 *
 * @param runId of the run that begins in this transaction
 */
export async function resumeOrStartBackfill(
  trx: Transaction,
  runId: string,
  account: number,
  restart: boolean,
): Promise<Backfill> {
  const unfinished = restart ? null : await findUnfinished(trx, runId, account)
  const id = unfinished?.id ?? runId
  await sql`update headcount.sync_runs set backfill_id = ${id} where id = ${runId}`.execute(trx.kysely)
  return { id, resumedFrom: unfinished?.started_at ?? null }
}

/** SQL: by a clock that was ahead and was set right, nobody knows how old a backfill is. The minute is for two servers of a failover. */
// guard: backfills of the future
const notOfTheFuture = sql`first.started_at <= now() + interval '1 minute'`

async function findUnfinished(trx: Transaction, runId: string, account: number) {
  // guard: age of a backfill
  const { rows } = await sql<{ id: string; started_at: string }>`
    select first.id, first.started_at
      from (select status, backfill_id
              from headcount.sync_runs
             where account_id = ${account} and id < ${runId} and mode = 'backfill' and not named_events_only
             order by id desc
             limit 1) last
      join headcount.sync_runs first on first.id = last.backfill_id
     where last.status not in ('succeeded', 'held')
       and first.started_at > now() - make_interval(hours => ${MAX_RESUME_HOURS})
       and ${notOfTheFuture}`.execute(trx.kysely)
  return rows.length === 0 ? null : singleRow(rows)
}

/**
 * Whether the backfill has read this list already. What failed since is read again, and so is what is held, which this
 * run may be asked to decide, what a second reading must confirm, what another version of ours has read, and what is to be
 * stored with other fields than then.
 */
export function isDoneInBackfill(backfill: Backfill | null, state: ListState | undefined): boolean {
  if (backfill === null || state === undefined || state.backfill_id !== backfill.id) return false
  const isOpen =
    state.held_deletions.length > 0 ||
    /* guard: unconfirmed in a backfill */ state.unconfirmed_absences.length > 0
  return (
    /* guard: failed in a backfill */ state.error_code === null &&
    /* guard: other fields in a backfill */ state.retention !== 'restored' &&
    !isOpen &&
    state.normaliser_version === NORMALISER_VERSION
  )
}
