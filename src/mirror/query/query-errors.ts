/** What the database says of a user's own statement, without remedies that are meant for our statements. */
import { codeOf } from '../../db/errors.ts'
import { DatabaseError, UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/option-names.ts'
import { formatDuration } from '../../common/format-duration.ts'
import {
  codePoints,
  isAtStart,
  ACCEPTED_STATEMENTS,
  type ExplainStatement,
  type RowsStatement,
} from './statement.ts'

/** What was sent: something of ours, and behind it the user's text. */
interface SentText {
  readonly prefix: string
  readonly part: RowsStatement | ExplainStatement
}

/** Not the statement's fault: the connection, another transaction, a lock, the server's room, its administrator, itself. */
const NOT_THE_STATEMENT = /^(?:08|25P|40|53|55P|57|58|XX)/

/** SQLSTATE of a syntax error, of what is not supported, of a write, and of a statement that was cancelled. */
const SYNTAX = '42601'
const UNSUPPORTED = '0A000'
const READ_ONLY = '25006'
export const CANCELLED = '57014'

/** A query may keep others who want the database waiting for so long: a client of `serve` is told 503 after 5 s. */
export const MAX_WAIT_MS = 4000

export function queryTimeoutError(timeoutMs: number): DatabaseError {
  return new DatabaseError(
    `query: the statement took longer than ${formatDuration(timeoutMs)}; ${optionName('timeoutMs')} allows another time`,
  )
}

/** Of a query that is answered by the process that has the folder open. */
export function statementLimitError(): DatabaseError {
  return new DatabaseError(
    `query: ended, for while it computes no run and no client of serve gets the folder: they wait for ${MAX_WAIT_MS / 1000} s at most. ` +
      'Ask for less at once; or stop the process that has the folder open, and ask again; or keep the mirror in Postgres, which many processes can use at once.',
  )
}

/** An error in the statement is the caller's: a usage error. Any other passes as it is. */
export function toQueryError(error: unknown, timeoutMs: number | null, sent?: SentText): unknown {
  const code = codeOf(error)
  if (!(error instanceof DatabaseError) || !(error.cause instanceof Error) || code === null) return error
  if (code === CANCELLED && timeoutMs !== null) return queryTimeoutError(timeoutMs)
  if (error.cause.message.startsWith('bind message supplies')) {
    return new UsageError('query: there are no parameters here: write values in place of $1', {
      cause: error.cause,
    })
  }
  if (!/^[0-9A-Z]{5}$/.test(code) || NOT_THE_STATEMENT.test(code)) return error
  return new UsageError(describeQueryError(error.cause, code, sent), { cause: error.cause })
}

function describeQueryError(cause: Error, code: string, sent: SentText | undefined): string {
  const message = cause.message
  if (message.includes('multiple commands')) {
    return 'query takes one statement; this text holds several, and none was run'
  }
  if (code === UNSUPPORTED && message.includes('data-modifying'))
    return 'query only reads: WITH may not insert, update, delete or merge'
  if (code === READ_ONLY) return `query only reads: ${message}`
  const position = sent === undefined ? null : positionInText(cause, sent)
  const isUnknown =
    code === SYNTAX && sent !== undefined && position !== null && isAtStart(sent.part, position)
  if (isUnknown) return `query: ${message}; ${ACCEPTED_STATEMENTS}, and only reads`
  const where = sent === undefined || position === null ? '' : `, ${lineAndColumn(sent.part.whole, position)}`
  const hint = 'hint' in cause && typeof cause.hint === 'string' ? `. ${cause.hint}` : ''
  return `query: ${message}${where}${hint}`
}

/** Where in the user's text, in characters from 1: the server counts from the beginning of ours. */
function positionInText(cause: Error, { prefix, part }: SentText): number | null {
  if (!('position' in cause) || typeof cause.position !== 'string') return null
  const position =
    Number(cause.position) - codePoints(prefix).length + codePoints(part.whole.slice(0, part.start)).length
  return position >= 1 ? position : null
}

function lineAndColumn(text: string, position: number): string {
  const before = codePoints(text)
    .slice(0, position - 1)
    .join('')
    .split(/\r\n|\r|\n/)
  return `line ${before.length}, column ${codePoints(before.at(-1) ?? '').length + 1}`
}
