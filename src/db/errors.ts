/** Errors of the drivers, explained: where they happened, what they mean, what to do. */
import { commandName } from '../common/command-name.ts'
import { errorCode } from '../common/error-code.ts'
import {
  TransactionConflictError,
  DatabaseError,
  HeadcountError,
  SchemaVersionError,
  TransactionFailedError,
} from '../common/errors.ts'

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
  const remedy =
    foreign !== null && isHiddenByPolicy(code, message)
      ? `Let the policies hold in that function: alter function ${foreign} set row_security = on`
      : (remedyOfNumber(error) ??
        remedyOf(code, message) ??
        (foreign === null ? null : remedyOfFunction(foreign, code)))
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

/** With `row_security = off`, as runs have it. */
function isHiddenByPolicy(code: string, message: string): boolean {
  return code === INSUFFICIENT_PRIVILEGE && message.includes('row-level security policy')
}

function remedyOfNumber(error: unknown): string | null {
  const table = tableOfTakenNumber(error)
  if (table === null) return null
  return `The sequence of headcount.${table} stands behind its rows, as in a database to which logical replication copied them: docs/operate/upkeep.md (Failover and copies by other programs) has the statement that sets all sequences`
}

function remedyOfFunction(name: string, code: string): string {
  if ([UNDEFINED_TABLE, '42883', '42704'].includes(code))
    return `Let it name tables, functions and types with their schemas, or give it a path: alter function ${name} set search_path = public, pg_temp`
  return 'It is no function of headcount: mend it, or drop the trigger that calls it'
}

/**
 * SQLSTATEs that concern one transaction only: data and constraints (22, 23), program limits (54), out of memory,
 * idle or open for too long (25P03, 25P04), lock time-out, cancelled statement.
 */
const transactionOnlyState = /^(?:22|23|54)[0-9A-Z]{3}$|^(?:25P03|25P04|53200|55P03|57014)$/

/** The SQLSTATE in a database without a mirror. */
export const UNDEFINED_TABLE = '42P01'
/** SQLSTATE of a column that an older schema, or one that is being brought up to date, does not have yet. */
const UNDEFINED_COLUMN = '42703'
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
function serverField(error: unknown, name: 'constraint' | 'routine' | 'severity' | 'where'): string {
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

const connectTimeout = /timeout exceeded when trying to connect|due to connection timeout/i
const connectionLost = /terminated unexpectedly|not queryable|read timeout/i

/** Five characters with a digit: `EPIPE` is a code of the system. */
const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/

const unreachable = 'Check that the server runs, and the host and port of the database URL'
const startsSoon = 'The server is stopping or starting: try again when it is up'
const certificate =
  'The certificate of the server is not trusted: name its authority with sslrootcert=… in the database URL'

const serverDiskFull = 'The disk of the database server is full: free space, then run again'

const addedByOthers =
  'Where somebody added that constraint or column to the table, drop it, or let it allow what the service sends'

const remedies: Readonly<Record<string, string>> = {
  EACCES: 'Check the rights on the folder, or name another one',
  EMFILE: 'Too many files and connections are open in this process: raise the limit (ulimit -n)',
  ENOSPC: 'The disk is full: free space, then run again',
  EROFS: 'The folder cannot be written to: name another one',
  ECONNREFUSED: unreachable,
  ECONNRESET: 'The server closed the connection: see its log',
  EPIPE: 'The server closed the connection: see its log',
  ENOTFOUND: 'The name of the host is not known: check the database URL',
  EAI_AGAIN: 'The name of the host could not be looked up: check the network and the database URL',
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  CERT_HAS_EXPIRED: 'The certificate of the server has expired: renew it',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The certificate of the server is for another name: check the host of the database URL',
  SELF_SIGNED_CERT_IN_CHAIN: certificate,
  DEPTH_ZERO_SELF_SIGNED_CERT: certificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificate,
  [READ_ONLY]:
    'Nothing can be written over this connection. On a standby: use the primary server. With a role that only reads, as readers add makes it: use the role that writes the mirror. Else default_transaction_read_only is on; doctor says where',
  '23502': addedByOthers,
  '23503':
    'A table of yours refers to rows of the mirror, which go when the service deletes them: give its foreign key on delete cascade, or on delete set null',
  '23505': addedByOthers,
  '23514': addedByOthers,
  '25P04': 'The transaction was open for longer than transaction_timeout of the server allows',
  '25P03': 'The transaction stood idle for too long: this program was stopped or the machine is overloaded',
  '28000': 'Check the user and sslmode of the database URL, and the host rules (pg_hba.conf)',
  '28P01':
    'Check user and password of the database URL. After the password was changed: a worker or serve reads it anew from DATABASE_URL_FILE, and has to be restarted where the URL comes from elsewhere',
  '3D000': 'Create the database first, or check its name in the database URL',
  '53100': serverDiskFull,
  '53200': 'The database server is out of memory',
  '53300':
    'No connection is left: raise max_connections, or the CONNECTION LIMIT of the role or the database where it has one, or use a connection pooler',
  '53400':
    'The server bounds the temporary files of a session: raise temp_file_limit or work_mem of the role or the database, or ask for less at once',
  [LOCK_NOT_AVAILABLE]:
    'Another session holds a lock on the table for too long: find it in pg_stat_activity, then run again',
  '57014': 'The statement took too long or was cancelled',
  '57P01': startsSoon,
  '57P02': startsSoon,
  '57P03': startsSoon,
  '57P05': 'The server closed an idle session',
}

/** What a migration meets where a tool made its tables and views in the schema of the mirror. */
const nameIsTaken = (code: string, message: string) =>
  code === '42P07' ||
  (code === '42P16' && message.startsWith('cannot change name of view column ')) ||
  (code === '42809' && message.endsWith(' is not a view'))

function remedyOf(code: string, message: string): string | null {
  if (nameIsTaken(code, message))
    return 'The schema headcount holds a table or view of this name that headcount did not make: move it to another schema (alter table … set schema …), or mirror into another database'
  // Nothing can be asked there, by doctor neither.
  if (code === INSUFFICIENT_PRIVILEGE && message.startsWith('permission denied for database '))
    return 'Its owner, or a superuser, lets the role of the database URL in: grant connect on database … to …'
  if (isHiddenByPolicy(code, message))
    return `Row security hides rows of the mirror from the role of the database URL: use the role that owns the schema headcount, on whose tables row security is not forced, or one with BYPASSRLS. ${commandName()} doctor names the tables`
  if (code === INSUFFICIENT_PRIVILEGE)
    return `Grant what is lacking to the role of the database URL, or use the role that owns the schema headcount: ${commandName()} doctor says what is lacking. A role that readers add made may use query and export`
  if (code === UNDEFINED_COLUMN) return `${commandName()} doctor says whether somebody dropped it`
  // A server on a socket of the file system; of a folder the message has the path.
  if (code === 'ENOENT' && message.startsWith('connect '))
    return 'Check the path of the socket in the database URL'
  if (code === '28000' && message.endsWith(', no encryption'))
    return 'Where the server wants TLS, write sslmode=require, or verify-full, into the database URL; else check its user and the host rules (pg_hba.conf)'
  if (message.startsWith('SCRAM channel binding check failed'))
    return 'TLS ends before the server: a proxy between, or somebody who reads along, has a certificate of its own'
  // The server ends each new connection with these words, and with no code of their own.
  if (message === 'could not write init file') return serverDiskFull
  const remedy = remedies[code]
  if (remedy !== undefined) return remedy
  if (code.startsWith('08')) return unreachable
  if (connectTimeout.test(message)) return unreachable
  if (connectionLost.test(message)) return 'The connection to the server was lost: see its log'
  // pg's words for any answer to the request for TLS but yes and no.
  if (message.includes('error establishing an SSL connection'))
    return 'What answers there may be no Postgres: check the host and port of the database URL'
  if (/does not support SSL/i.test(message))
    return 'Switch TLS on in the server; without it, sslmode=disable in the database URL'
  return null
}

/** What was thrown that is no Error, for messages: the file system of PGlite throws an object with the number of an error. */
export function thrownText(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown)
  const parts = ['name', 'code', 'errno', 'message'].map((name): unknown => Reflect.get(thrown, name))
  const shown = parts.filter((part) => typeof part === 'number' || (typeof part === 'string' && part !== ''))
  return shown.length === 0 ? 'an error without a message' : shown.join(' ')
}

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
