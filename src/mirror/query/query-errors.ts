/** What the database says of a user's own statement, without remedies that are meant for our statements. */
import { codeOf } from '../../db/errors.ts'
import { DatabaseError, UsageError } from '../../common/errors.ts'
import { formatDuration } from '../../common/format-duration.ts'
import { charactersOf, isAtStart, whatItTakes, type Explain, type Rows } from './statement.ts'

/** What was sent: something of ours, and behind it the user's text. */
interface Sent {
  readonly prefix: string
  readonly part: Rows | Explain
}

/** Not the statement's fault: the connection, another transaction, a lock, the server's room, its administrator, itself. */
const notOfTheStatement = /^(?:08|25P|40|53|55P|57|58|XX)/

/** SQLSTATE of a syntax error, of what is not supported, of a write, and of a statement that was cancelled. */
const SYNTAX = '42601'
const UNSUPPORTED = '0A000'
const READ_ONLY = '25006'
const CANCELLED = '57014'

export function tookTooLong(timeoutMs: number): DatabaseError {
  return new DatabaseError(
    `query: the statement took longer than ${formatDuration(timeoutMs)}; --timeout allows another time`,
  )
}

/** An error in the statement is the caller's: a usage error. Any other passes as it is. */
export function inTermsOfQuery(error: unknown, timeoutMs: number | null, sent?: Sent): unknown {
  const code = codeOf(error)
  if (!(error instanceof DatabaseError) || !(error.cause instanceof Error) || code === null) return error
  if (code === CANCELLED && timeoutMs !== null) return tookTooLong(timeoutMs)
  if (error.cause.message.startsWith('bind message supplies')) {
    return new UsageError('query: there are no parameters here: write values in place of $1', {
      cause: error.cause,
    })
  }
  if (!/^[0-9A-Z]{5}$/.test(code) || notOfTheStatement.test(code)) return error
  return new UsageError(describe(error.cause, code, sent), { cause: error.cause })
}

function describe(cause: Error, code: string, sent: Sent | undefined): string {
  const said = cause.message
  if (said.includes('multiple commands')) {
    return 'query takes one statement; this text holds several, and none was run'
  }
  if (code === UNSUPPORTED && said.includes('data-modifying'))
    return 'query only reads: WITH may not insert, update, delete or merge'
  if (code === READ_ONLY) return `query only reads: ${said}`
  const place = sent === undefined ? null : placeOf(cause, sent)
  const isUnknown = code === SYNTAX && sent !== undefined && place !== null && isAtStart(sent.part, place)
  if (isUnknown) return `query: ${said}; ${whatItTakes}, and only reads`
  const where = sent === undefined || place === null ? '' : `, ${lineAndColumn(sent.part.whole, place)}`
  const hint = 'hint' in cause && typeof cause.hint === 'string' ? `. ${cause.hint}` : ''
  return `query: ${said}${where}${hint}`
}

/** Where in the user's text, in characters from 1: the server counts from the beginning of ours. */
function placeOf(cause: Error, { prefix, part }: Sent): number | null {
  if (!('position' in cause) || typeof cause.position !== 'string') return null
  const place =
    Number(cause.position) -
    charactersOf(prefix).length +
    charactersOf(part.whole.slice(0, part.start)).length
  return place >= 1 ? place : null
}

function lineAndColumn(text: string, place: number): string {
  const before = charactersOf(text)
    .slice(0, place - 1)
    .join('')
    .split(/\r\n|\r|\n/)
  return `line ${before.length}, column ${charactersOf(before.at(-1) ?? '').length + 1}`
}
