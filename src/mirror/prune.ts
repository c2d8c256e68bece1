import { sql } from 'kysely'
import { UsageError } from '../common/errors.ts'
import type { Database } from '../db/connect.ts'
import { retryConflicts, type Transaction } from '../db/transaction.ts'
import { inSamePart, singleRow } from '../load/statements.ts'
import { resolveInstant } from './instants/resolve-instant.ts'
import type { InstantInput } from './instants/parse-instant.ts'

/** Versions of one transaction: well below a second on PGlite, whose statements cannot be interrupted. */
const VERSIONS_PER_BATCH = 2000

const historyTables: readonly HistoryTable[] = ['event_history', 'response_history']
export type HistoryTable = 'event_history' | 'response_history'

/** Former versions of one account that ended before some moment. */
export interface PrunableVersions {
  readonly account_id: number
  readonly account: string
  readonly table: HistoryTable
  readonly versions: number
  /** When the first of them began, and when the last of them ended. */
  readonly from: string
  readonly to: string
  /** What the rows take, without indexes. */
  readonly bytes: number
}

/** What there is to prune: versions that ended at `before` or earlier. One that reaches beyond it is not among them. */
export async function findPrunableVersions(
  trx: Transaction,
  account: string | null,
  before: string,
): Promise<readonly PrunableVersions[]> {
  const found: PrunableVersions[] = []
  for (const table of historyTables) {
    const { rows } = await sql<PrunableVersions>`
      select a.id as account_id, a.name as account, ${table} as table, count(*)::float8 as versions,
             min(h.valid_from) as from, max(h.valid_to) as to, sum(pg_column_size(h))::float8 as bytes
        from ${sql.table(`headcount.${table}`)} h
        join headcount.accounts a on a.id = h.account_id
       where h.valid_to <= ${before}::timestamptz and (${account}::text is null or a.name = ${account})
       group by a.id, a.name`.execute(trx.kysely)
    found.push(...rows)
  }
  return found.toSorted((one, other) => one.account_id - other.account_id)
}

/**
 * Stores how far back an account's history reaches, unless less of it is left already. It is stored before the first version is deleted: who asks for
 * an earlier moment is refused from then on, and never answered from what is left of it.
 */
export async function setHistoryFloor(trx: Transaction, account: number, before: string): Promise<void> {
  // guard: horizon
  await sql`
    update headcount.accounts
       set _history_from = ${before}::timestamptz
     where id = ${account} and coalesce(_history_from, '-infinity') < ${before}::timestamptz`.execute(
    trx.kysely,
  )
}

/** What one piece deleted; the next begins where it ended. */
interface PruneBatch {
  readonly deleted: number
  readonly ended: string | null
}

/** Deletes the oldest of the old versions, at most `maxRows` of them; none from before `since` is looked for. */
export async function deletePruneBatch(
  trx: Transaction,
  { table, account_id }: Pick<PrunableVersions, 'table' | 'account_id'>,
  before: string,
  since: string | null,
  maxRows: number,
): Promise<PruneBatch> {
  const history = sql.table(`headcount.${table}`)
  // guard: versions beyond
  const { rows } = await sql<PruneBatch>`
    with old as (
      select tableoid as part, ctid as place from ${history}
       where account_id = ${account_id} and valid_to <= ${before}::timestamptz
         and valid_to >= coalesce(${since}::timestamptz, '-infinity')
       order by valid_to
       limit ${maxRows}
    ), gone as (
      delete from ${history}
       where ctid = any (array(select place from old)) ${inSamePart}
      returning valid_to
    )
    select count(*)::int as deleted, max(valid_to) as ended from gone`.execute(trx.kysely)
  return singleRow(rows)
}

/**
 * The moment that is meant. What is pruned does not come back: an age counts by the clock of the database or that of this machine, whichever is
 * behind.
 *
 * @throws UsageError when the moment is yet to come.
 */
export async function requirePastInstant(trx: Transaction, moment: InstantInput): Promise<string> {
  // guard: both clocks to prune
  const present = sql`least(now(), ${new Date().toISOString()}::timestamptz)`
  const { instant, now, is_past } = await resolveInstant(trx, moment, present)
  if (is_past) return instant
  throw new UsageError(
    `${instant} is yet to come: the clock of the database says ${now}. Name a moment of the past.`,
  )
}

/**
 * Deletes what was found, in many small transactions.
 *
 * @returns how many versions were deleted
 */
export async function pruneVersions(
  database: Database,
  old: readonly PrunableVersions[],
  before: string,
  signal: AbortSignal,
): Promise<number> {
  for (const account of new Set(old.map(({ account_id }) => account_id))) {
    await database.transaction((trx) => setHistoryFloor(trx, account, before))
  }
  let total = 0
  for (const table of responsesFirst(old)) {
    let since: string | null = null
    for (;;) {
      signal.throwIfAborted()
      // An erasure and a run that forgets write to the same versions.
      const { deleted, ended } = await deleteBatch(database, table, before, since)
      if (deleted === 0) break
      total += deleted
      since = ended
    }
  }
  return total
}

function deleteBatch(
  database: Database,
  table: PrunableVersions,
  before: string,
  since: string | null,
): Promise<PruneBatch> {
  // guard: conflicts of a prune
  return retryConflicts(() =>
    database.transaction((trx) => deletePruneBatch(trx, table, before, since, VERSIONS_PER_BATCH)),
  )
}

/** By its last version a removed event is found whose responses in history are to be forgotten: it goes after them, also when this is broken off. */
function responsesFirst(old: readonly PrunableVersions[]): readonly PrunableVersions[] {
  // guard: responses pruned first
  return old.toSorted((one, other) => rank(one.table) - rank(other.table))
}

function rank(table: HistoryTable): number {
  return table === 'response_history' ? 0 : 1
}
