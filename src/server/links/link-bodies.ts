/** The bodies of links: each is made once a minute at most, and one at a time. */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { withinTime } from '../../common/abort.ts'
import { MirrorNotFoundError } from '../../common/errors.ts'
import type { Database } from '../../db/connect.ts'
import {
  makeLinkBody,
  type BodyLimits,
  type LinkBody,
  type ShownLink,
} from '../../outputs/export/link-content.ts'
import { LinkError } from '../../outputs/export/link-error.ts'
import { REPORT } from '../../mirror/keys/links.ts'
import { encodeBody } from '../http/content-encoding.ts'
import { AFTER_A_RUN_SECONDS, AFTER_OTHERS_SECONDS, UnavailableError } from '../problems.ts'

/** A body as it is sent. */
export interface KeptBody extends Pick<LinkBody, 'contentType' | 'headers'> {
  readonly identity: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
  /** Of the bytes before compression: equal bodies have equal ones. */
  readonly digest: string
}

/** What came of making a body. */
interface Made {
  /** When it was begun, by the clock that never goes back. */
  readonly at: number
  /** What must not have changed meanwhile. */
  readonly version: string
  readonly result: KeptBody | LinkError
}

/** A link to make the body of. */
export interface LinkToMake extends ShownLink {
  readonly id: string
  /** Where it is another one, an older body is not shown: somebody was erased. */
  readonly version: string
}

const KEPT_MS = 60_000
/** What is too slow keeps all others waiting: it is tried again after so long. */
const SLOW_KEPT_MS = 600_000
/** What it shows may have been forgotten since, or be far from what the mirror has. */
const SHOWN_MS = 7_200_000
/** Of all bodies, plain and compressed. */
const MAX_KEPT_BYTES = 48 * 1024 ** 2
const MAX_BODY_BYTES = 16 * 1024 ** 2
const MAX_WAIT_MS = 20_000
const TIMEOUT_MS = 10_000
/** While a PGlite computes, nobody else is answered: a client of the service waits for 5 s. */
const PGLITE_TIMEOUT_MS = 4_000
/** A part of the time of a link, so that a lock is known for what it is. */
const LOCK_TIMEOUT_MS = 3_000

export interface LinkBodiesOptions {
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number
  /** What a view may take; 10 s on Postgres and 4 s on PGlite by default. */
  readonly timeoutMs?: number
}

/**
 * Gives a function that gets the body of a link.
 *
 * It throws LinkError, DatabaseError; UnavailableError when nothing was read yet, and when others are made for too long.
 */
export function createLinkBodies(
  database: Database,
  {
    now = () => performance.now(),
    timeoutMs = database.engine === 'pglite' ? PGLITE_TIMEOUT_MS : TIMEOUT_MS,
  }: LinkBodiesOptions,
): (link: LinkToMake) => Promise<KeptBody> {
  const limits: BodyLimits = {
    maxBytes: MAX_BODY_BYTES,
    timeoutMs,
    /* guard: locked tables of links */ lockTimeoutMs: LOCK_TIMEOUT_MS,
  }
  // guard: one computation at a time
  const alone = pLimit(1)
  const kept = new LRUCache<string, Made>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: sizeOf,
    /* guard: age of a link */ ttl: SHOWN_MS,
    perf: { now },
  })
  const pending = new Map<string, { readonly version: string; readonly made: Promise<Made> }>()

  async function make(link: LinkToMake): Promise<Made> {
    const at = now()
    const result = await bodyOf(database, link, limits)
    const made = { at, version: link.version, result }
    kept.set(link.id, made)
    return made
  }

  function begin(link: LinkToMake): Promise<Made> {
    const making = { version: link.version, made: alone(() => make(link)) }
    pending.set(link.id, making)
    const end = () => {
      if (pending.get(link.id) === making) pending.delete(link.id)
    }
    making.made.then(end, end)
    return making.made
  }

  return async (link) => {
    const last = kept.get(link.id)
    // guard: once a minute
    const isCurrent = last !== undefined && last.version === link.version && now() - last.at < keptFor(last)
    const under = pending.get(link.id)
    const begun = () => (under?.version === link.version ? under.made : begin(link))
    const older = last?.version === link.version && !(last.result instanceof LinkError) ? last : null
    const { result } = isCurrent ? last : await inTime(begun(), older)
    if (result instanceof LinkError) throw result
    return result
  }
}

function keptFor({ result }: Made): number {
  return result instanceof LinkError && result.reason === 'too_slow' ? SLOW_KEPT_MS : KEPT_MS
}

function sizeOf({ result }: Made): number {
  return result instanceof LinkError ? 1 : result.identity.byteLength + result.gzip.byteLength + 1
}

/** That a body is too large, or takes too long, is found out once a minute at most, too. */
async function bodyOf(
  database: Database,
  link: LinkToMake,
  limits: BodyLimits,
): Promise<KeptBody | LinkError> {
  try {
    // What draws is loaded when it is asked for.
    const makeBody =
      link.view === REPORT
        ? (await import('../../outputs/report/link-report.ts')).makeReportBody
        : makeLinkBody
    const { bytes, ...rest } = await makeBody(database, link, limits)
    const digest = hash('sha256', bytes, 'base64url').slice(0, 27)
    return { ...rest, identity: bytes, gzip: await encodeBody(bytes, 'gzip'), digest }
  } catch (error) {
    if (error instanceof LinkError) return error
    // guard: links before a reading
    if (error instanceof MirrorNotFoundError) throw new UnavailableError('not_mirrored', AFTER_A_RUN_SECONDS)
    throw error
  }
}

/**
 * What is made for too long is made nevertheless, for who asks again.
 *
 * @param older stands in for it then; null: there is none
 * @throws UnavailableError when it takes too long, and there is no older one
 */
function inTime<T>(made: Promise<T>, older: T | null): Promise<T> {
  return withinTime(made, MAX_WAIT_MS, () => {
    if (older !== null) return older
    throw new UnavailableError(
      'not_ready',
      AFTER_OTHERS_SECONDS,
      'other links are made first: try again later',
    )
  })
}
