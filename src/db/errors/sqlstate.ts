/** What an error of a driver says of itself: its SQLSTATE, and what follows from that for the connection. */
import { errorCode } from '../../common/error-code.ts'
import { HeadcountError } from '../../common/errors.ts'

/** The SQLSTATE in a database without a mirror. */
export const UNDEFINED_TABLE = '42P01'
/** SQLSTATE of a column that an older schema, or one that is being brought up to date, does not have yet. */
export const UNDEFINED_COLUMN = '42703'
/** SQLSTATE of a missing privilege: a reader may still ask what it can read. */
export const INSUFFICIENT_PRIVILEGE = '42501'
/** SQLSTATE of a write where nothing can be written. */
export const READ_ONLY = '25006'
/** SQLSTATE of a row whose key is taken. */
export const UNIQUE_VIOLATION = '23505'
/** SQLSTATE of a lock that was not given in time. */
export const LOCK_NOT_AVAILABLE = '55P03'
/** SQLSTATE of a statement that was cancelled, or took too long. */
export const CANCELLED = '57014'
/** SQLSTATE of two transactions that wait for each other. */
export const DEADLOCK_DETECTED = '40P01'

/** The SQLSTATE (five characters) or the system's code (`ECONNREFUSED`) of an error or of its causes. */
export function codeOf(error: unknown): string | null {
  return codedCause(error)?.code ?? null
}

/** The error, or the first of its causes, that has such a code. */
function codedCause(error: unknown): { readonly error: Error; readonly code: string } | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = at instanceof HeadcountError ? null : errorCode(at)
    if (code !== null) return { error: at, code }
  }
  return null
}

/** What the server says besides the message; empty where it says nothing. */
export function serverField(error: unknown, name: 'constraint' | 'routine' | 'severity' | 'where'): string {
  const value: unknown = Reflect.get(codedCause(error)?.error ?? {}, name)
  return typeof value === 'string' ? value : ''
}

/** Whether the schema has not what a statement of this program asks: there is none, or it is of another version. */
export function isOfOtherSchema(error: unknown): boolean {
  const code = codeOf(error)
  return code === UNDEFINED_TABLE || code === UNDEFINED_COLUMN
}

/**
 * The table whose next number is taken: no session of this program gave it away. Logical replication copies rows, and leaves the
 * sequences behind.
 */
export function tableOfTakenNumber(error: unknown): string | null {
  if (codeOf(error) !== UNIQUE_VIOLATION) return null
  return (
    /^(accounts|api_keys|deliveries|links|suppressions|sync_runs)_pkey$/.exec(
      serverField(error, 'constraint'),
    )?.[1] ?? null
  )
}

/** Whether the connection is lost, so that not even a rollback can be sent. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  if (code === null || !sqlState.test(code) || isFatal(error)) return true
  return code.startsWith('08') || code.startsWith('57P') || code === '25P03' || code === '25P04'
}

/** The server closes the connection behind such an error, whatever its code. */
function isFatal(error: unknown): boolean {
  return /^(?:FATAL|PANIC)$/.test(serverField(error, 'severity'))
}

/**
 * Whether another connection may do what this one cannot: it is lost, or it began while nothing could be written.
 * `default_transaction_read_only` of a database or a role holds for a session from its start to its end.
 */
export function needsOtherConnection(error: unknown): boolean {
  return isConnectionLost(error) || /* guard: connections that only read */ codeOf(error) === READ_ONLY
}

/** Of the system, and of a server that stops, starts, or has no connection left. */
const awayCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  '53300',
  '57P01',
  '57P02',
  '57P03',
])

/** Whether a connection failed because the server cannot be reached now: a later try may find it. */
export function isServerAway(error: unknown): error is Error {
  const cause = codedCause(error)
  if (cause === null)
    return (
      error instanceof Error && (connectTimeout.test(error.message) || connectionLost.test(error.message))
    )
  const { code } = cause
  // A server on a socket of the file system makes it when it starts.
  if (code === 'ENOENT') return 'syscall' in cause.error && cause.error.syscall === 'connect'
  // A protocol violation is what a pooler says of settings that it refuses.
  return awayCodes.has(code) || (code.startsWith('08') && code !== '08P01')
}

export const connectTimeout = /timeout exceeded when trying to connect|due to connection timeout/i
export const connectionLost = /terminated unexpectedly|not queryable|read timeout/i

/** Five characters with a digit: `EPIPE` is a code of the system. */
const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/
