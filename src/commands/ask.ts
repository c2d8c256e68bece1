import type { Database } from '../db/connect.ts'
import { codeOf } from '../db/failures.ts'
import type { Answer } from '../db/transaction.ts'
import { DatabaseError, UsageError } from '../errors.ts'

/** Carries the answer out of a transaction that must not be committed. */
class RolledBack extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super('rolled back on purpose')
    this.answer = answer
  }
}

/**
 * Runs the statement read-only and rolls back whatever it did. After it nothing more is sent but the rollback:
 * a statement that ended the transaction itself (`commit`) is followed by nothing that could write.
 */
export async function ask(database: Database, statement: string, timeoutMs: number): Promise<Answer> {
  try {
    await database.transaction(
      async (trx) => {
        await trx.query(
          `select set_config('search_path', 'headcount, public', true), set_config('statement_timeout', $1, true)`,
          [String(timeoutMs)],
        )
        throw new RolledBack(await trx.query(statement))
      },
      { readOnly: true, statementTimeoutMs: timeoutMs },
    )
  } catch (error) {
    if (error instanceof RolledBack) return checked(error.answer)
    throw inTermsOfQuery(error)
  }
  throw new Error('a transaction that was to be rolled back was committed')
}

/** What the database says of the user's own statement, without remedies that are meant for our statements. */
function inTermsOfQuery(error: unknown): unknown {
  const code = codeOf(error) ?? ''
  if (!(error instanceof DatabaseError) || !(error.cause instanceof Error)) return error
  const said = error.cause.message
  if (code === '25006') return new DatabaseError(`query only reads: ${said}`, { cause: error.cause })
  if (said.includes('multiple commands')) {
    return new DatabaseError('query takes one statement; this text holds several, and none was run', {
      cause: error.cause,
    })
  }
  // 42: it cannot be understood; 22: a value in it is out of place, as a moment before the mirror's first run.
  return /^(42|22)/.test(code) ? new DatabaseError(`query: ${said}`, { cause: error.cause }) : error
}

function checked(answer: Answer): Answer {
  const { columns } = answer
  if (columns.length === 0) {
    throw new UsageError(
      'query: the statement answers no rows; it takes select, with, values, table, show and explain',
    )
  }
  const names = columns.map(({ name }) => name)
  const twice = names.filter((name, at) => names.indexOf(name) !== at)
  if (twice.length === 0) return answer
  throw new UsageError(
    `query: two columns are called ${[...new Set(twice)].join(' and ')}: give each its own name, like select events.id as event_id`,
  )
}
