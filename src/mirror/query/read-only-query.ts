import { creatorInPublic } from '../../db/readers/public-schema.ts'
import type { Database } from '../../db/connect.ts'
import { CANCELLED, codeOf, isConnectionLost } from '../../db/errors/sqlstate.ts'
import { literal } from '../../db/quote.ts'
import type { QueryResult, Transaction } from '../../db/transaction.ts'
import { DatabaseError, UsageError } from '../../common/errors.ts'
import type { Receive } from '../calls/call.ts'
import { toQueryError, statementLimitError, queryTimeoutError } from './query-errors.ts'
import { FIRST_FETCH, nextFetch } from './fetch-size.ts'
import type { ExplainStatement, RowsStatement, Statement } from './statement.ts'

export interface ReadOnlyQueryOptions {
  readonly timeoutMs: number
  /** What views show, and functions tell of; null: every account. */
  readonly account?: string | null
  /** Rows of the result at most; null: all. */
  readonly limit?: number | null
  /** The session's time zone; null: UTC. */
  readonly timeZone?: string | null
  /** How long the next statement may take where others wait for the database meanwhile; asked before each. */
  readonly maxStatementMs?: (() => Promise<number>) | undefined
}

const cursor = 'headcount_query'
const declare = `declare ${cursor} no scroll cursor for `

export interface QueryEnd {
  /** Whether `limit` left rows out. */
  readonly hasMore: boolean
}

/** Thrown to roll a transaction back. */
class RolledBack extends Error {}

/**
 * Answers a user's statement, read-only, in one transaction that is always rolled back.
 *
 * A read-only transaction alone is no bar: `copy … to` writes files, `create`, `set` and `call` are judged by
 * a list. Here the text is declared as a cursor, as one message of the extended protocol: what is no query, or more
 * than one statement, the server itself cannot even parse. What is left are functions that the role may execute.
 *
 * `timeoutMs` bounds what the database works on it, all parts together; not how long `receive` takes.
 *
 * @throws UsageError when the statement is no good; DatabaseError
 */
export async function runReadOnlyQuery(
  database: Database,
  statement: Statement,
  { timeoutMs, account = null, limit = null, timeZone = null, maxStatementMs }: ReadOnlyQueryOptions,
  receive: Receive,
): Promise<QueryEnd> {
  let hasMore = false
  try {
    await database.transaction(
      async (trx) => {
        // As in psql, but for functions that somebody else put there: they would run with the rights of who asks.
        // guard: public functions in a query
        const path = (await creatorInPublic(trx)) !== null ? 'headcount' : 'headcount, public'
        await trx.query(`set local search_path to ${path}`)
        // As a statement of its own: not every role may call set_config.
        if (account !== null) await trx.query(`set local headcount.account to ${literal(account)}`)
        if (timeZone !== null) await trx.query(`set local timezone to ${literal(timeZone)}`)
        // Plans are for the whole answer; else they are made for its first tenth.
        await trx.query('set local cursor_tuple_fraction to 1')
        const send = withTimeLimit(trx, timeoutMs, maxStatementMs)
        await releasingLocks(trx, async () => {
          hasMore = await runStatement(send, statement, { receive, limit })
        })
        throw new RolledBack()
      },
      { readOnly: true, statementTimeoutMs: timeoutMs },
    )
  } catch (error) {
    if (!(error instanceof RolledBack)) throw toQueryError(error, timeoutMs)
  }
  return { hasMore }
}

type SendStatement = (text: string) => Promise<QueryResult>

interface Reader {
  readonly receive: Receive
  readonly limit: number | null
}

/** @returns whether rows were left out */
async function runStatement(send: SendStatement, statement: Statement, reader: Reader): Promise<boolean> {
  if (statement.kind === 'rows') {
    // guard: query as a cursor
    await sendText(send, declare, statement)
    return fetchRows(send, reader)
  }
  const answer = await (statement.kind === 'show' ? send(`show ${statement.name}`) : explain(send, statement))
  await reader.receive(requireColumns(answer))
  return false
}

/**
 * What `explain` explains must pass as a cursor first, for `explain analyze` runs it and takes an `insert` too. Then the
 * same text stands behind an `explain` of ours, with options of a known form: it can only be parsed as the same query.
 */
async function explain(send: SendStatement, statement: ExplainStatement): Promise<QueryResult> {
  // guard: explain as a cursor
  await sendText(send, declare, statement)
  await send(`close ${cursor}`)
  const options = statement.options === '' ? 'format text' : statement.options
  return sendText(send, `explain (${options}) `, statement)
}

async function sendText(
  send: SendStatement,
  prefix: string,
  part: RowsStatement | ExplainStatement,
): Promise<QueryResult> {
  try {
    return await send(prefix + part.whole.slice(part.start))
  } catch (error) {
    throw toQueryError(error, null, { prefix, part })
  }
}

async function fetchRows(send: SendStatement, { receive, limit }: Reader): Promise<boolean> {
  let left = limit ?? Infinity
  for (let count = FIRST_FETCH, isFirst = true; ; isFirst = false) {
    // One row more than may be shown tells whether there are more.
    const wanted = Math.min(count, left + 1)
    const part = await send(`fetch ${wanted} from ${cursor}`)
    const rows = part.rows.slice(0, left)
    if (rows.length > 0 || isFirst) await receive(requireColumns({ ...part, rows }))
    if (part.rows.length > left) return true
    if (part.rows.length < wanted) return false
    left -= rows.length
    count = nextFetch(part.rows)
  }
}

/** Sends statements that together may take so long. */
function withTimeLimit(
  trx: Transaction,
  timeoutMs: number,
  maxStatementMs: ReadOnlyQueryOptions['maxStatementMs'],
): SendStatement {
  let leftMs = timeoutMs
  return async (text) => {
    const limitMs = (await maxStatementMs?.()) ?? Infinity
    const begun = performance.now()
    try {
      const answer = await trx.queryWithin(Math.max(1, Math.min(leftMs, limitMs)), text)
      leftMs -= performance.now() - begun
      if (leftMs <= 0) throw queryTimeoutError(timeoutMs)
      return answer
    } catch (error) {
      throw limitMs < leftMs && codeOf(error) === CANCELLED
        ? statementLimitError('query', 'Ask for less at once')
        : error
    }
  }
}

/** An advisory lock of the session outlives its transaction, and behind a pooling proxy its client too. */
async function releasingLocks(trx: Transaction, work: () => Promise<void>): Promise<void> {
  const unlock = async () => {
    await trx.query('rollback to savepoint before_query')
    // guard: locks of a query
    await trx.query('select pg_catalog.pg_advisory_unlock_all()')
  }
  await trx.query('savepoint before_query')
  try {
    await work()
  } catch (error) {
    // Without the connection the locks are gone, too.
    if (!(error instanceof DatabaseError && error.cause !== undefined && isConnectionLost(error)))
      await unlock()
    throw error
  }
  await unlock()
}

function requireColumns(answer: QueryResult): QueryResult {
  if (answer.columns.length > 0) return answer
  throw new UsageError('query: the result has rows without any column')
}
