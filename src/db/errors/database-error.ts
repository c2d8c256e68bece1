/** Errors of the drivers, explained: where they happened, what they mean, what to do. */
import { commandName } from '../../common/command-name.ts'
import {
  TransactionConflictError,
  DatabaseError,
  HeadcountError,
  SchemaVersionError,
  TransactionFailedError,
} from '../../common/errors.ts'
import { remedyOf } from './remedies.ts'
import { codeOf, DEADLOCK_DETECTED, serverField, UNDEFINED_COLUMN, UNDEFINED_TABLE } from './sqlstate.ts'
import { thrownText } from './thrown-text.ts'

/**
 * Converts an error of a driver to a DatabaseError that says what to do. A HeadcountError stays as it is.
 *
 * `label` names the database without user and password, like `Postgres at db.example:5432/mirror`.
 */
export function toDatabaseError(error: unknown, label: string): HeadcountError {
  if (error instanceof HeadcountError) return error
  const code = codeOf(error) ?? ''
  const message = messageOf(error)
  const options = { cause: withoutValues(error) }
  if (code === '40001' || code === DEADLOCK_DETECTED) {
    const remedy = isRecoveryConflict(error)
      ? 'The standby took over a change to what was still being read: try again, or let it wait for readers (hot_standby_feedback = on, or a longer max_standby_streaming_delay)'
      : 'Another transaction was in the way; the same work may be tried again'
    return new TransactionConflictError(`${label}: ${message}. ${remedy}.`, options)
  }
  const foreign = foreignFunction(error)
  if (
    foreign === null &&
    [UNDEFINED_TABLE, '3F000', '42883', UNDEFINED_COLUMN].includes(code) &&
    /\bheadcount(?:_internal)?[."]|"headcount(?:_internal)?"/.test(message)
  ) {
    const remedy = `Run: ${commandName()} migrate. If the schema is up to date, ${commandName()} doctor says what was dropped`
    return new SchemaVersionError(`${label}: ${message}. ${remedy}`, options)
  }
  const remedy = remedyOf(error, { code, message, foreign })
  const Kind = transactionOnlyState.test(code) ? TransactionFailedError : DatabaseError
  const fault = foreign === null ? message : `${message}, in the function ${foreign}`
  return new Kind(`${label}: ${remedy === null ? fault : `${fault}. ${remedy}`}`, options)
}

/** The functions of the server that end a query on a standby. Its messages are in any language. */
const recoveryConflict = /^Process(?:Interrupts|RecoveryConflictInterrupts?)$/

function isRecoveryConflict(error: unknown): boolean {
  return recoveryConflict.test(serverField(error, 'routine'))
}

const NAME = String.raw`(?:"(?:[^"]|"")+"|[^\s".()]+)`
/** A function without arguments, as a trigger calls it, in a line of the context of an error, which may be in any language. */
const CALLED = new RegExp(String.raw`\bPL/.*?\s((?:${NAME}\.)?${NAME}\(\))`)

/** The outermost function that the error was thrown in, unless it is one of the mirror: that of a trigger which somebody put on a table. */
function foreignFunction(error: unknown): string | null {
  const names = serverField(error, 'where')
    .split('\n')
    .flatMap((line) => CALLED.exec(line)?.[1] ?? [])
  return names.findLast((name) => !/^headcount(?:_internal)?\./.test(name)) ?? null
}

/**
 * SQLSTATEs that concern one transaction only: data and constraints (22, 23), program limits (54), out of memory,
 * idle or open for too long (25P03, 25P04), lock time-out, cancelled statement.
 */
const transactionOnlyState = /^(?:22|23|54)[0-9A-Z]{3}$|^(?:25P03|25P04|53200|55P03|57014)$/

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return thrownText(error)
  // A refused connection to a name with several addresses has an empty message of its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error.message.replace(/\.$/, '')
}

/** PGlite adds the statement's parameters, which are personal data, to its errors. They must not reach a log. */
function withoutValues(error: unknown): unknown {
  if (error instanceof Error) {
    // guard: values in errors
    for (const name of ['params', 'query', 'queryOptions']) Reflect.deleteProperty(error, name)
  }
  return error
}
