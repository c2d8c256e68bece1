/** What a copy of a mirror consists of, wherever the rows come from and go to. */
import type { Timestamp } from '../../common/schema/items.ts'
import type { StoredReader } from '../../db/readers/readable.ts'
import type { ReceiveRows } from './database/read-tables.ts'
import type { TableCheck } from './database/table-checks.ts'
import type { Identity, TableColumns } from './database/table-rows.ts'

/** What is known before a row is read. */
export interface ContentsOutline {
  /** Number of the last migration. */
  readonly schema: number
  /** The moment that all rows show. */
  readonly moment: Timestamp
  /** Names of all accounts, in the order in which they were made. */
  readonly accounts: readonly string[]
  /** About how many bytes the rows have, without indexes. */
  readonly bytes: number
  readonly tables: readonly TableColumns[]
  readonly identities: readonly Identity[]
  /** They are not copied: their roles are those of the server. */
  readonly readers: readonly StoredReader[]
}

/** A mirror that is copied from: another database, or a file. */
export interface ContentsSource {
  readonly outline: ContentsOutline
  /** `table.column` of those that somebody added to the tables: they are not copied. */
  readonly addedColumns: readonly string[]
  /** Tables and views that somebody made in the schema of the mirror: nor are these. */
  readonly addedRelations: readonly string[]
  /** Reads every table, one after the other. A part ends at the end of a row. May be called once. */
  readonly read: (receive: ReceiveRows) => Promise<void>
  /** What must have arrived. */
  readonly checks: () => Promise<readonly TableCheck[]>
}

/** How far a copy is. */
export interface TransferProgress {
  readonly step: 'reading' | 'copying' | 'comparing' | 'indexing'
  /** The table that is copied. */
  readonly table?: string
  /** Of the rows so far. */
  readonly bytes: number
}

export type OnProgress = (progress: TransferProgress) => void
