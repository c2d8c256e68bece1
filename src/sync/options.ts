import { requirePositive, requireWholeNumber } from '../common/options/amounts.ts'
import { withoutRejections } from '../common/options/callbacks.ts'
import { checkOptions } from '../common/options/check-options.ts'
import { DEFAULT_ACCOUNT, type CreateAccount } from './open/find-account.ts'
import { DEFAULT_HOLD_FOR_MS } from '../common/schema/holds.ts'
import { targetOf, type DatabaseOptions } from '../db/target.ts'
import { UsageError } from '../common/errors.ts'
import { createRedactor } from '../common/redact.ts'
import { optionName } from '../common/options/option-names.ts'
import { fieldRules, type FieldRules } from '../normalise/items/field-rules.ts'
import { InvalidValueError, MAX_CONCURRENCY, MIN_PERSON_KEY_LENGTH } from '../common/parse-values.ts'
import { createPersonKey, type PersonKey } from '../normalise/suppression/person-key.ts'
import type { Slowdown } from '../source/throttle/slowdown.ts'
import type { Host } from '../source/host.ts'
import type { SuspendableTurn } from '../source/throttle/pause-gate.ts'
import { proxyOption } from '../source/http/proxy.ts'
import { serviceUrl } from '../source/url.ts'

/** Where a run logs to. The shape is pino's; without one, a run is silent. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A log function for layers that have no logger. */
export function logTo(logger: Logger | undefined) {
  return (level: keyof Logger, message: string, fields: object = {}) => logger?.[level](fields, message)
}

/** How far a run is; sent after each event. */
export interface Progress {
  readonly phase: 'events' | 'responses' | 'removing' | 'forgetting' | 'comparing' | 'indexing'
  /** `skipped`: read already by the backfill that this one continues; not part of `total`. */
  readonly events: { readonly done: number; readonly total: number; readonly skipped: number }
  /** Responses read so far. */
  readonly responses: number
  /** Rows written so far; while comparing, differences found. */
  readonly changedRows: number
  /** Requests sent again, after failures and after refusals. */
  readonly retries: number
  /** While the service slows the run down by refusing requests: how it is asked, and the pause that it asked for. */
  readonly slowdown: Slowdown | null
  /** Bytes of bodies received. */
  readonly bytes: number
}

/** When a service counts as away, and how it is asked meanwhile. */
export interface OutageLimits {
  /** So many events in a row that could not be read, for each request at once. */
  readonly failuresPerRequest: number
  /** After so many ms without any HTTP response the run ends. */
  readonly maxSilenceMs: number
  /** While it is away, one event at a time is read, after a wait of so long. */
  readonly askEveryMs: number
}

/** What a run needs to know. Durations are in milliseconds. */
export interface RunOptions extends DatabaseOptions {
  /** Name of the account inside the mirror; `default` when not given. */
  readonly account?: string
  /**
   * Allows a first run under a name that the mirror does not have, although it has other accounts. Without it such a
   * run throws an UnknownAccountError: a mistyped name would store everything a second time. `for_new_key` allows it
   * unless the mirror has the key under another name, and throws an AccountMismatchError then.
   */
  readonly createAccount?: CreateAccount
  readonly apiKey: string
  /** `https://<host>/api/v1`. */
  readonly baseUrl: string
  /** Allows plain http to a host that is not this machine. */
  readonly allowHttp?: boolean
  /** The HTTP proxy that leads to the service, `http://[user:password@]host:port`; none when not given. No environment variable is read. In a pool, the first call to a service decides for all. */
  readonly proxy?: string
  /** Most requests at once, up to 256; 8 when not given. */
  readonly concurrency?: number
  /** Deadline of one request; 60 s, and 1 s more for every 256 KiB of body received. */
  readonly requestTimeoutMs?: number
  /** Deadline of the whole run; none when not given. */
  readonly runTimeoutMs?: number
  /** Largest body; 1 GiB when not given. */
  readonly maxBodyBytes?: number
  /** Up to so many bytes a list is held in memory; a larger one lies in a temporary file. 4 MiB when not given. */
  readonly inMemoryBytes?: number
  /** Bytes of one chunk of a larger list, about; 1 MB when not given. */
  readonly chunkBytes?: number
  /** How many rows fill a batch, which is one transaction; it takes whole events. 5,000 when not given. */
  readonly batchRows?: number
  /** Longest time that an older, unchanged event is not read; seven days when not given. */
  readonly maxStalenessMs?: number
  /** How long deletions that look like an outage are held; one hour when not given. */
  readonly holdForMs?: number
  /**
   * Forgets names, e-mail addresses, messages and unknown fields of responses so long after their event, at the end of each run, and
   * stores later responses to it without; without a time of the event so long after its last response. A hundred years at most; never when not given.
   */
  readonly forgetAfterMs?: number
  /**
   * The key of the suppression list, 32 characters or more: needed as soon as a person was erased from the mirror. It is never stored
   * there.
   */
  readonly personKey?: string
  /**
   * Fields of responses that are never stored: `responses.name`, `responses.email`, `responses.message`; `responses._extra` and
   * `slots._extra` for all fields that the specification does not name, `responses._extra.phone` for one. Every list is read once when
   * this changes.
   */
  readonly leaveOut?: readonly string[]
  /** `name`, `email` or both: keyed hashes are stored in their place; needs `personKey`. Every list is read once when this changes. */
  readonly pseudonymise?: readonly string[]
  /** Also takes what is left out from former versions in history, once. */
  readonly applyToHistory?: boolean
  /** Reads every event, not only those that are due. */
  readonly all?: boolean
  /** Only these events are read and written; none is removed. */
  readonly events?: readonly string[]
  /** Of a backfill: begins anew, also when the last one was broken off and could be continued. */
  readonly restart?: boolean
  /** Applies the deletions on hold. */
  readonly acceptDeletions?: boolean
  /** Takes over a mirror that was built from another account or address. */
  readonly adopt?: boolean
  /** Writes also to a mirror that was moved to another database. */
  readonly force?: boolean
  /**
   * Writes nothing, and reports what a run would write: `plan` in the report lists the rows. `maxKeys`: how many of
   * each kind; all when not given.
   */
  readonly dryRun?: boolean | { readonly maxKeys: number }
  /** @internal When a service that goes away while it is read ends the run; for tests, which have no time. */
  readonly outage?: Partial<OutageLimits>
  /** @internal The service, shared with other runs. */
  readonly host?: Host
  /** @internal The turn of this run in a pool; given to other runs while the service asks for a pause. */
  readonly turn?: SuspendableTurn
  /** Ends the run; its reason is thrown when it is an InterruptedError. */
  readonly signal?: AbortSignal
  readonly logger?: Logger
  readonly onProgress?: (progress: Progress) => void
  /** Called when a heartbeat of this run has been stored, every 5 s. */
  readonly onAlive?: () => void
}

/** Longest time that an older, unchanged event is not read: seven days. */
export const DEFAULT_MAX_STALENESS_MS = 7 * 24 * 3_600_000

/** Options that are a time or a size. */
const POSITIVE_OPTIONS = [
  'requestTimeoutMs',
  'runTimeoutMs',
  'maxBodyBytes',
  'inMemoryBytes',
  'chunkBytes',
  'batchRows',
  'maxStalenessMs',
] as const

/** A hundred years, as of the setting: the database subtracts it from a day. */
const MAX_FORGET_AFTER_MS = 36_500 * 24 * 3_600_000

/** The options with every default filled in. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>

/**
 * Checks the options that a type cannot check and fills in the defaults.
 *
 * @throws UsageError naming the option.
 */
export function resolveOptions(options: RunOptions) {
  checkOptions(options, 'apiKey', 'baseUrl')
  const target = targetOf(options)
  const concurrency = requireWholeNumber('concurrency', options.concurrency ?? 8, 1, MAX_CONCURRENCY)
  for (const name of POSITIVE_OPTIONS) requirePositive(name, options[name])
  requirePositive('forgetAfterMs', options.forgetAfterMs, MAX_FORGET_AFTER_MS)
  if (options.holdForMs !== undefined && !(options.holdForMs >= 0)) {
    throw new UsageError(`The option \`holdForMs\` must be 0 or more, not ${options.holdForMs}.`)
  }
  const baseUrl = serviceUrl(options.baseUrl, options.allowHttp ?? false)
  const account = options.account ?? DEFAULT_ACCOUNT
  const personKey = personKeyOf(options.personKey)
  if (account.trim() === '') throw new UsageError('The option `account` must not be empty.')
  return {
    target,
    account,
    createAccount: options.createAccount ?? false,
    apiKey: options.apiKey,
    /** The text without the API key. */
    redact: createRedactor(options.apiKey).text,
    baseUrl,
    /** The base address in one spelling, without a slash at its end: the mirror remembers it. */
    address: baseUrl.origin + baseUrl.pathname.replace(/\/+$/, ''),
    proxy: proxyOption(options.proxy),
    concurrency,
    // Of these the source has the defaults.
    requestTimeoutMs: options.requestTimeoutMs,
    maxBodyBytes: options.maxBodyBytes,
    inMemoryBytes: options.inMemoryBytes,
    chunkBytes: options.chunkBytes,
    runTimeoutMs: options.runTimeoutMs ?? null,
    // Large enough that the commit costs little, and small enough that a lost batch costs little.
    batchRows: options.batchRows ?? 5000,
    maxStalenessMs: options.maxStalenessMs ?? DEFAULT_MAX_STALENESS_MS,
    holdForMs: options.holdForMs ?? DEFAULT_HOLD_FOR_MS,
    forgetAfterMs: options.forgetAfterMs ?? null,
    personKey,
    rules: rulesOf(options, personKey),
    applyToHistory: options.applyToHistory ?? false,
    all: options.all ?? false,
    events: options.events && options.events.length > 0 ? new Set(options.events) : null,
    restart: options.restart ?? false,
    force: options.force ?? false,
    acceptDeletions: options.acceptDeletions ?? false,
    adopt: options.adopt ?? false,
    dryRun: dryRunOf(options.dryRun),
    outage: options.outage ?? {},
    host: options.host ?? null,
    turn: options.turn ?? null,
    signal: options.signal,
    logger: options.logger ?? silent,
    onProgress: withoutRejections(options.onProgress),
    onAlive: withoutRejections(options.onAlive),
  }
}

/** What its spans and metrics say of a run before it begins. */
export function observedOf({ account, dryRun, events }: ResolvedOptions) {
  return { account, isDryRun: dryRun !== null, isPartOfAccount: events !== null }
}

/** @throws UsageError when it is too short to be a secret */
export function personKeyOf(secret: string | undefined): PersonKey | null {
  if (secret === undefined) return null
  if (secret.length >= MIN_PERSON_KEY_LENGTH) return createPersonKey(secret)
  throw new UsageError(
    `The option \`personKey\` must have ${MIN_PERSON_KEY_LENGTH} characters or more; it has ${secret.length}.`,
  )
}

/** @throws UsageError that names the field, or the key that is missing */
function rulesOf(
  { leaveOut = [], pseudonymise = [] }: Pick<RunOptions, 'leaveOut' | 'pseudonymise'>,
  key: PersonKey | null,
): FieldRules | null {
  if (pseudonymise.length > 0 && key === null) {
    throw new UsageError(
      `Pseudonyms (${optionName('pseudonymise')}) are made with a key: set ${optionName('personKey')}. ` +
        'Make one with: (umask 077; openssl rand -hex 32 > person.key)',
    )
  }
  try {
    return fieldRules(leaveOut, pseudonymise, key)
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    throw new UsageError(`${optionName('leaveOut')}, ${optionName('pseudonymise')}: ${error.message}.`)
  }
}

/** How many rows of each kind a dry run lists; null when it is none. */
function dryRunOf(dryRun: RunOptions['dryRun']): { readonly maxKeys: number } | null {
  if (dryRun === true) return { maxKeys: Infinity }
  return typeof dryRun === 'object' ? dryRun : null
}

export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
