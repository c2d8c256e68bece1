import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../db/database.ts'
import { requireVersion, schemaState, SCHEMA_VERSION } from '../../../db/migrate.ts'
import { hashOf, isSameHash } from '../../../mirror/keys/secret.ts'
import type { Holder } from '../../fair-shares.ts'
import { EVENTS } from '../store.ts'
import type { Found, ListName, ServedList, Store } from '../store.ts'
import { tellTo } from '../../safe-callback.ts'
import { UnavailableError } from '../../unavailable.ts'
import { requireFreshAccount, requireFreshList, type Freshness } from './freshness.ts'
import { findAll, type Asked, type Row } from './lookups.ts'
import { gather } from './batch-loader.ts'
import { createKeyUse } from './key-use.ts'
import { readList } from './list.ts'
import { createPlaces } from './large-list-slots.ts'
import { withinReason } from './with-timeout.ts'

export interface MirrorStoreOptions extends Freshness {
  /** Told what went wrong beside a request: that a key was used could not be noted. */
  readonly onError: (error: unknown) => void
}

/** Large lists at once; the connections that are left answer everything else. */
const LARGE_AT_ONCE = 2
const SOON_SECONDS = 5
const AFTER_A_RUN_SECONDS = 60
const LONGEST_GOODBYE_MS = 500

/** A mirror as a store: any account of it, by the keys that were made for it. Its database stays its opener's. */
export function createMirrorStore(
  database: Database,
  { maxAgeMs, holdForMs, onError }: MirrorStoreOptions,
): Store {
  const freshness = { maxAgeMs, holdForMs }
  const find = gather((asked: readonly Asked[]) => findAll(database.kysely, asked, maxAgeMs !== null))
  const use = createKeyUse(database, tellTo(onError))
  // Anybody may ask for it, without a key: not with a statement each.
  const look = gather(async (asked: readonly null[]) => {
    const { current } = await schemaState(database)
    return asked.map(() => current)
  })
  const places = createPlaces(LARGE_AT_ONCE)

  function servedList(row: Row, list: ListName, holder: Holder): ServedList | undefined {
    if (!row.is_known) return undefined
    if (row.age === null || row.version === null)
      throw notMirrored('this list was not read from the service yet')
    requireFreshList(list === EVENTS ? null : list, row, freshness)
    return {
      name: `${row.account}/${list}`,
      version: row.version,
      age: row.age,
      read: (window) => readList(database, places, { account: row.account, list, holder }, window),
    }
  }

  return {
    async find(key, list): Promise<Found | undefined> {
      const sha256 = hashOf(key)
      const row = await withinReason(find({ sha256, list: named(list) }))
      requireSchema(row.schema)
      if (row.key_id === null || row.sha256 === null || !isSameHash(row.sha256, sha256)) return undefined
      if (row.is_first_use) use.note(row.key_id)
      requireFreshAccount(row, freshness)
      const holder = { account: String(row.account), key: row.key_id }
      return { holder, email: row.email, list: list === null ? null : servedList(row, list, holder) }
    },
    async requireReady() {
      requireSchema(await withinReason(look(null)))
    },
    close: async () => {
      // It may wait for a lock: the database is closed upon it then.
      await Promise.race([use.settled(), sleep(LONGEST_GOODBYE_MS, undefined, { ref: false })])
    },
  }
}

/** No text with U+0000 reaches the database, which has none: no event has such an id. */
function named(list: ListName | null): string | null {
  return list?.includes('\0') === true ? null : list
}

/** While another program brings the schema up to date, and when it has and this one is the older. */
function requireSchema(version: number): void {
  try {
    requireVersion(version)
  } catch (cause) {
    const message =
      version > SCHEMA_VERSION
        ? 'the mirror belongs to a newer program: this one must be brought up to date'
        : 'the mirror is being brought up to date: try again later'
    throw new UnavailableError('not_ready', message, SOON_SECONDS, { cause })
  }
}

function notMirrored(message: string): UnavailableError {
  return new UnavailableError('not_mirrored', `${message}: try again after the next run`, AFTER_A_RUN_SECONDS)
}
