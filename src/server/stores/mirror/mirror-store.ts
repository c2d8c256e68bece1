import { requireServedSchema, withTimeout } from './readiness.ts'
import type { Database } from '../../../db/database.ts'
import { schemaState } from '../../../db/migrate.ts'
import { hashKey, isSameHash } from '../../../mirror/keys/secret.ts'
import type { Requester } from '../../fair-allocator.ts'
import { EVENTS, type Access, type ListName, type ServedList, type Store } from '../store.ts'
import { UnavailableError, AFTER_A_RUN_SECONDS } from '../../problems.ts'
import { requireFreshAccount, requireFreshList, type FreshnessLimits } from './freshness.ts'
import { lookUpMany, type Lookup, type LookupRow } from './lookups.ts'
import { createBatchLoader } from './batch-loader.ts'
import { createUseRecorder } from './use-recorder.ts'
import { readList } from './list.ts'
import { createLargeListSlots } from './large-list-slots.ts'

export interface MirrorStoreOptions extends FreshnessLimits {
  /** Called when the use of a key could not be recorded. */
  readonly onError: (error: unknown) => void
}

/** Concurrent large lists; the other connections serve everything else. */
const MAX_LARGE_LISTS = 2

/** A store over all accounts of a mirror. The caller closes the database. */
export function createMirrorStore(
  database: Database,
  { maxAgeMs, holdForMs, onError }: MirrorStoreOptions,
): Store {
  const freshness = { maxAgeMs, holdForMs }
  const lookUp = createBatchLoader((asked: readonly Lookup[]) =>
    lookUpMany(database.kysely, asked, maxAgeMs !== null),
  )
  const keyUse = createUseRecorder(database, 'api_keys', onError)
  // /readyz needs no key: batching limits the statements.
  const readSchemaVersion = createBatchLoader(async (asked: readonly null[]) => {
    const { current } = await schemaState(database)
    return asked.map(() => current)
  })
  const slots = createLargeListSlots(MAX_LARGE_LISTS)

  function servedList(row: LookupRow, list: ListName, requester: Requester): ServedList | undefined {
    if (!row.is_known) return undefined
    // guard: not mirrored yet
    if (row.age === null || row.version === null)
      throw new UnavailableError('not_mirrored', AFTER_A_RUN_SECONDS)
    // guard: a held list is not served
    requireFreshList(list === EVENTS ? null : list, row, freshness)
    return {
      name: `${row.account}/${list}`,
      version: row.version,
      age: row.age,
      read: (page) => readList(database, slots, { account: row.account, list, requester }, page),
    }
  }

  return {
    async resolve(key, list): Promise<Access | undefined> {
      const sha256 = hashKey(key)
      // Postgres cannot store U+0000: no event has such an id.
      const storable = list?.includes('\0') === true ? null : list
      const row = await withTimeout(lookUp({ sha256, list: storable }))
      // guard: schema while serving
      requireServedSchema(row.schema)
      if (row.key_id === null || row.sha256 === null || !isSameHash(row.sha256, sha256)) return undefined
      if (row.is_first_use) keyUse.record(row.key_id)
      // guard: age of what is served
      requireFreshAccount(row, freshness)
      const requester = { account: String(row.account), key: row.key_id }
      return {
        requester,
        email: row.email,
        list: list === null ? null : servedList(row, list, requester),
      }
    },
    async requireReady() {
      requireServedSchema(await withTimeout(readSchemaVersion(null)))
    },
    close: keyUse.close,
  }
}
