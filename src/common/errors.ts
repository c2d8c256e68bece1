import type { RunReport } from './schema/tables.ts'
import { nameSome } from './text/name-some.ts'

/** The codes of errors: stable, for programs. `unexpected` is a fault of this program, `output` of whatever its output goes to. */
export const errorCodes = [
  'account_busy',
  'account_mismatch',
  'body_too_large',
  'certificate',
  'configuration',
  'conflict',
  'contract',
  'database',
  'folder_in_use',
  'foreign_origin',
  'interrupted',
  'invalid_backup',
  'key_refused',
  'lease_lost',
  'moved_mirror',
  'no_mirror',
  'not_delivered',
  'not_found',
  'outage',
  'output',
  'paused_by_service',
  'removed_account',
  'run_deadline',
  'schema_version',
  'temporary_file',
  'unexpected',
  'unknown_account',
  'unknown_event',
  'unreachable',
  'usage',
] as const

export type HeadcountErrorCode = (typeof errorCodes)[number]

/**
 * The base class of all errors. The message says what to do next. `code` is stable, `exitCode` is that of the command
 * line, and `retryable` says whether another attempt may succeed.
 */
export abstract class HeadcountError extends Error {
  abstract readonly code: HeadcountErrorCode
  abstract readonly exitCode: number
  readonly retryable: boolean = false
  /** What a run had done before this error ended it. */
  report: RunReport | undefined

  override get name(): string {
    return this.constructor.name
  }
}

/** The call itself is wrong: an unknown flag, a setting that cannot be read, a base address that leads nowhere. */
export class UsageError extends HeadcountError {
  readonly code: HeadcountErrorCode = 'usage'
  readonly exitCode = 2
}

/** Settings that cannot be used; the message lists every fault at once, one a line. */
export class ConfigurationError extends UsageError {
  override readonly code = 'configuration'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(
      faults.length === 1
        ? `${faults[0]}`
        : `${faults.length} settings cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    )
    this.faults = faults
  }
}

/** The mirror seems to be of another account: most of its events are not listed. */
export class AccountMismatchError extends UsageError {
  override readonly code = 'account_mismatch'
}

/** The mirror has other accounts and none of this name: a mistyped name, or a further account that nobody asked for. */
export class UnknownAccountError extends UsageError {
  override readonly code = 'unknown_account'
  readonly account: string
  /** The names that the mirror has, in the order in which they came. */
  readonly accounts: readonly string[]

  constructor(account: string, accounts: readonly string[], remedy: string) {
    super(`The mirror has no account "${account}"; it has ${nameSome(accounts, MAX_LISTED_NAMES)}. ${remedy}`)
    this.account = account
    this.accounts = accounts
  }
}

/**
 * There is no event of a name that was given. Of a run: the service lists none, or its record cannot be stored, and the run
 * wrote nothing. Of a question: the mirror has none.
 */
export class UnknownEventError extends UsageError {
  override readonly code = 'unknown_event'
}

/** The account is half removed, or was removed at this very moment: it is no mirror. */
export class RemovedAccountError extends UsageError {
  override readonly code = 'removed_account'
}

/** The mirror was moved to another database: what is written here would be missing there. */
export class MovedMirrorError extends UsageError {
  override readonly code = 'moved_mirror'
}

/** The file is no backup, ends early, or is not what was written: nothing of it was restored. */
export class InvalidBackupError extends UsageError {
  override readonly code = 'invalid_backup'
}

/** A mirror may have hundreds of accounts. */
const MAX_LISTED_NAMES = 10

/** The service answered 401 or 403: the key is wrong, expired or not allowed here. */
export class AuthenticationError extends HeadcountError {
  readonly code = 'key_refused'
  readonly exitCode = 3
}

/** The service could not be reached, or did not give a whole answer, after every allowed try. */
export class UnreachableError extends HeadcountError {
  readonly code: HeadcountErrorCode = 'unreachable'
  readonly exitCode = 4
  override readonly retryable: boolean = true
}

/** The service asks for a longer pause than this run may wait; `until` is the moment it named. */
export class RetryLaterError extends UnreachableError {
  override readonly code = 'paused_by_service'
  readonly until: Date

  constructor(message: string, until: Date, options?: ErrorOptions) {
    super(message, options)
    this.until = until
  }
}

/** This request was not sent, for the service asked another request of the run for a long pause. */
export class RequestSkippedError extends RetryLaterError {}

/** The service became unreachable during a run: many consecutive events could not be read. */
export class OutageError extends UnreachableError {
  override readonly code = 'outage'
}

/** The service's certificate cannot be trusted (name, date, issuer), or its port does not speak TLS; never tried again. */
export class CertificateError extends UnreachableError {
  override readonly code = 'certificate'
  override readonly retryable = false
}

/** The run's own deadline (`--run-timeout`) passed before the work was done. */
export class RunTimeoutError extends UnreachableError {
  override readonly code = 'run_deadline'
  override readonly retryable = false
}

/** The service has nothing at this address (404 or 410). */
export class NotFoundError extends HeadcountError {
  readonly code = 'not_found'
  readonly exitCode = 6
}

/** A complete answer that is not what the specification says: HTML, an object for a list, broken JSON, a redirect loop. */
export class InvalidResponseError extends HeadcountError {
  readonly code: HeadcountErrorCode = 'contract'
  readonly exitCode = 7
}

/** An object instead of a list, with keys that suggest an unknown form of pagination. */
export class UnexpectedPaginationError extends InvalidResponseError {}

/** A redirect or a page link that leads to another origin; the key is never sent there. */
export class CrossOriginError extends InvalidResponseError {
  override readonly code = 'foreign_origin'
}

/** A body larger than this program may take in. */
export class BodyTooLargeError extends InvalidResponseError {
  override readonly code = 'body_too_large'
}

/** The database cannot be used: not reachable, not permitted, out of space, or a statement failed. */
export class DatabaseError extends HeadcountError {
  readonly code: HeadcountErrorCode = 'database'
  readonly exitCode = 5
}

/** One transaction failed because of its own statements (too long, too large, a value rejected); others may succeed. */
export class TransactionFailedError extends DatabaseError {}

/** A conflict with another transaction (deadlock, serialization failure): the same batch may pass when tried again. */
export class TransactionConflictError extends TransactionFailedError {
  override readonly code = 'conflict'
  override readonly retryable = true
}

/** There is no folder or no disk space for a list too large for memory. */
export class TemporaryFileError extends HeadcountError {
  readonly code = 'temporary_file'
  readonly exitCode = 5
}

/** What was to be written could not be, to a file or behind `>`: a full disk, a folder without the right to write. */
export class OutputError extends HeadcountError {
  readonly code = 'output'
  readonly exitCode = 1
}

/** A digest or a notice was not accepted by each of its recipients; those that refused it are told again. */
export class DeliveryError extends HeadcountError {
  readonly code = 'not_delivered'
  readonly exitCode = 1
  override readonly retryable = true
}

/** The schema in the database is older or newer than this program needs. */
export class SchemaVersionError extends DatabaseError {
  override readonly code = 'schema_version'
}

/** The folder of a PGlite does not exist, and must not be created. */
export class MirrorNotFoundError extends DatabaseError {
  override readonly code = 'no_mirror'
}

/** Another process has the folder of the embedded database open. */
export class DataDirInUseError extends DatabaseError {
  override readonly code = 'folder_in_use'
}

/** Another run holds the account. */
export class AccountLockedError extends HeadcountError {
  readonly code = 'account_busy'
  readonly exitCode = 9
  override readonly retryable = true
}

/** Another run has taken over from this one, which had sent no heartbeat; it writes nothing more. */
export class LeaseLostError extends HeadcountError {
  readonly code = 'lease_lost'
  readonly exitCode = 9
}

/** A signal or an abort ended the work: 129 for SIGHUP, 130 for SIGINT, 143 for SIGTERM and for a caller's own abort. */
export class InterruptedError extends HeadcountError {
  readonly code = 'interrupted'
  readonly exitCode: number

  constructor(message: string, exitCode: 129 | 130 | 143 = 143, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
