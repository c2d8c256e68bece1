/** What a program may ask of a mirror; each as the command of this name answers it. */
import { MAX_TIMER_MS } from '../../common/abort.ts'
import { requireWholeNumber } from '../../common/options/amounts.ts'
import { checkOptions } from '../../common/options/check-options.ts'
import { DEFAULT_HOLD_FOR_MS } from '../../common/schema/holds.ts'
import type { QueryRows } from '../calls/call.ts'
import { DEFAULT_MAX_STALENESS_MS } from '../../sync/options.ts'
import type { AccountStatus } from '../status/account-status.ts'
import { queryCall } from '../calls/query.ts'
import { rejectsCall, type ListedReject } from '../calls/rejects.ts'
import { runsCall, type ListedRun } from '../calls/runs.ts'
import { eventStatusCall, statusCall } from '../calls/status.ts'
import { tablesCall, type SchemaDescription } from '../query/describe-schema.ts'
import type { EventStatuses } from '../status/event-status.ts'
import { observationsCall, type AccountObservations } from '../observations/open-questions.ts'
import { callMirror, type AccountFilter, type MirrorOptions } from './with-mirror.ts'

export interface StatusOptions extends AccountFilter {
  /** As the runs of this mirror have it, in milliseconds; seven days when not given. What is due depends on it. */
  readonly maxStalenessMs?: number
  /** As the runs of this mirror have it, in milliseconds; one hour when not given. When held deletions are applied depends on it. */
  readonly holdForMs?: number
}

/**
 * How fresh and how whole the mirror of each account is.
 *
 * @throws UsageError when the mirror has no account of this name
 */
export async function status(options: StatusOptions): Promise<readonly AccountStatus[]> {
  checkOptions(options)
  return callMirror(options, statusCall, { ...statusInput(options), own: [], withReplies: true })
}

export interface EventStatusOptions extends StatusOptions {
  /** Its id. */
  readonly event: string
}

/**
 * How one event stands in each account that has it.
 *
 * @throws UsageError when the mirror has no account of this name, or none that has or had the event
 */
export async function eventStatus(options: EventStatusOptions): Promise<EventStatuses> {
  checkOptions(options, 'event')
  return callMirror(options, eventStatusCall, { ...statusInput(options), event: options.event })
}

/** What is due and how long is held, as the runs of this mirror have it. */
export function statusInput({ account, maxStalenessMs, holdForMs }: StatusOptions) {
  return {
    account: account ?? null,
    maxStalenessMs: requireWholeNumber('maxStalenessMs', maxStalenessMs ?? DEFAULT_MAX_STALENESS_MS, 1),
    holdForMs: requireWholeNumber('holdForMs', holdForMs ?? DEFAULT_HOLD_FOR_MS, 0),
  }
}

export interface ListOptions extends AccountFilter {
  /** At most so many; 100 when not given. */
  readonly limit?: number
}

export interface RunsOptions extends ListOptions {
  /** The number of one run; the newest runs when not given. */
  readonly run?: number
}

/**
 * The runs on record, the newest first; what each did is its `report`.
 *
 * @throws UsageError when the mirror has no account of this name, or no such run
 */
export async function runs(options: RunsOptions): Promise<readonly ListedRun[]> {
  checkOptions(options)
  const run = options.run === undefined ? null : requireWholeNumber('run', options.run, 1)
  return callMirror(options, runsCall, { ...listInput(options), run })
}

/**
 * Items that the service sent and no table can hold, each with its reason and the item itself; at most `limit` of them, 100 when it is not given.
 *
 * @throws UsageError when the mirror has no account of this name
 */
export async function rejects(options: ListOptions): Promise<readonly ListedReject[]> {
  checkOptions(options)
  const found = await callMirror(options, rejectsCall, listInput(options))
  return found.rejects
}

export function listInput({ account, limit = 100 }: ListOptions) {
  return { account: account ?? null, limit: requireWholeNumber('limit', limit, 1) }
}

/**
 * What the service was seen to do where its specification leaves something open.
 *
 * @throws UsageError when the mirror has no account of this name
 */
export async function observations(options: AccountFilter): Promise<readonly AccountObservations[]> {
  checkOptions(options)
  return callMirror(options, observationsCall, { account: options.account ?? null })
}

/** The tables, views and functions of a mirror, with their columns and comments. */
export async function tables(options: MirrorOptions): Promise<SchemaDescription> {
  checkOptions(options)
  return callMirror(options, tablesCall, {})
}

export interface QueryOptions extends AccountFilter {
  /** One `select`, `with`, `values`, `table`, `explain` or `show`. */
  readonly sql: string
  /** How long the database may work on it, in milliseconds, up to 2147483647; 30 s when not given. */
  readonly timeoutMs?: number
  /** Rows at most; all when not given. */
  readonly limit?: number
  /** An IANA name: dates, days and texts of times in the statement are those of this zone. UTC when not given. */
  readonly timeZone?: string
  /**
   * Takes the rows in parts of about a megabyte while they are read, so that no result is too large; the next part is read
   * when its promise is settled. `rows` of the result is empty then.
   */
  readonly onRows?: (part: QueryRows) => void | Promise<void>
}

export interface QueryAnswer extends QueryRows {
  /** What bounds the result: accounts that had no good run yet, and what `account` does not select. */
  readonly notes: readonly string[]
  /** Whether `limit` left rows out. */
  readonly hasMore: boolean
}

/**
 * Answers one statement in SQL, in a read-only transaction that is rolled back.
 *
 * @throws UsageError when the statement cannot be run; MirrorNotFoundError when nothing was synced yet; DatabaseError
 */
export async function query(options: QueryOptions): Promise<QueryAnswer> {
  checkOptions(options, 'sql')
  const { sql, account = null, timeoutMs = 30_000, limit, timeZone = null, onRows } = options
  const input = {
    sql,
    account,
    timeoutMs: requireWholeNumber('timeoutMs', timeoutMs, 1, MAX_TIMER_MS),
    limit: limit === undefined ? null : requireWholeNumber('limit', limit, 1),
    timeZone,
  }
  let columns: QueryRows['columns'] = []
  const rows: QueryRows['rows'][number][] = []
  const end = await callMirror(options, queryCall, input, async (part) => {
    columns = part.columns
    if (onRows !== undefined) return onRows({ columns, rows: part.rows })
    for (const row of part.rows) rows.push(row)
  })
  return { columns, rows, ...end }
}
