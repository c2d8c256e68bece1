/** `manifest.json`, the last entry of a backup: what the file holds. */
import { InvalidBackupError, SchemaVersionError } from '../../../common/errors.ts'
import { isObject, parsePlain, type JsonValue } from '../../../common/json/exact.ts'
import { COPIED_TABLES } from '../../../common/schema/copied-tables.ts'
import type { Timestamp } from '../../../common/schema/items.ts'
import { SCHEMA_VERSION } from '../../../db/migrate.ts'
import type { StoredReader } from '../../../db/readers/readable.ts'
import type { Engine } from '../../../db/transaction.ts'
import type { Identity } from '../database/table-rows.ts'

export const MANIFEST = 'manifest.json'
export const BACKUP_KIND = 'headcount backup'

/** A change in what the entries are is a new number; new tables and columns are none. */
export const BACKUP_FORMAT = 1

/** A table of a backup: its rows are the entries of its folder, one after the other, as text of COPY. */
export interface BackedUpTable {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: number
  /** Of all its entries together. */
  readonly bytes: number
  /** Of the same bytes, in hexadecimal digits. */
  readonly sha256: string
  /** As a database sums it up (`TableCheck`). */
  readonly checksum: string
}

export interface BackupManifest {
  readonly kind: typeof BACKUP_KIND
  readonly format: number
  /** Of headcount. */
  readonly version: string
  /** Number of the last migration. */
  readonly schema: number
  /** The moment that all rows show. */
  readonly created_at: Timestamp
  readonly engine: Engine
  readonly accounts: readonly string[]
  readonly tables: readonly BackedUpTable[]
  readonly identities: readonly Identity[]
  /** Roles that read the mirror: their rights are not in the file. */
  readonly readers: readonly StoredReader[]
}

/**
 * @param file for messages
 * @throws InvalidBackupError; SchemaVersionError when a newer program wrote it
 */
export function parseManifest(content: string, file: string): BackupManifest {
  const manifest = readJson(content)
  if (!isObject(manifest) || manifest['kind'] !== BACKUP_KIND)
    throw new InvalidBackupError(`${file} is no backup of headcount: its ${MANIFEST} is not that of one.`)
  const { format, schema, version } = manifest
  if (Number(format) > BACKUP_FORMAT)
    throw newer(
      `${file} is of the format ${JSON.stringify(format)}, and this program reads them up to ${BACKUP_FORMAT}`,
      version,
    )
  if (Number(schema) > SCHEMA_VERSION)
    throw newer(
      `${file} has schema ${JSON.stringify(schema)}, and this program knows them up to ${SCHEMA_VERSION}`,
      version,
    )
  // From here on the text is what this program wrote: the checksum of the compressed file was right.
  const known = manifest as unknown as BackupManifest
  const foreign = known.tables.find(({ table }) => !COPIED_TABLES.includes(table))
  if (foreign !== undefined)
    throw new InvalidBackupError(`${file} has a table that this program does not know: ${foreign.table}.`)
  return known
}

function newer(what: string, version: JsonValue | undefined): SchemaVersionError {
  return new SchemaVersionError(
    `${what}. It was written by headcount ${JSON.stringify(version)}: restore it with that version or a later one.`,
  )
}

function readJson(content: string): JsonValue {
  try {
    return parsePlain(content)
  } catch {
    return null
  }
}
