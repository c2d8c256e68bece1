/** A database into which a mirror is copied, whole or not at all. */
import { UsageError } from '../../../common/errors.ts'
import { COPIED_TABLES, SEEDED_TABLES } from '../../../common/schema/copied-tables.ts'
import { stripControlCharsInLine } from '../../../common/text/strip-control-chars.ts'
import type { Database } from '../../../db/database.ts'
import { prepareForQueriesWithin } from '../../../db/maintenance/deferred-indexes.ts'
import { migrateWithin, SCHEMA_VERSION, schemaState } from '../../../db/migrate.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { ContentsSource, OnProgress } from '../mirror-contents.ts'
import { COPY_FORM, writeBehind, type ReceiveRows } from './read-tables.ts'
import { cancelTransactionOnAbort } from '../../../db/cancel/cancel-on-abort.ts'
import { checkTables, requireEqual, type TableCheck } from './table-checks.ts'
import { copyTarget, restartIdentities, tableName, type TableColumns } from './table-rows.ts'

export interface CopyOptions {
  readonly signal: AbortSignal
  readonly onProgress?: OnProgress | undefined
  /** Called at the end of the transaction, with the schema of this program. */
  readonly finish?: ((trx: Transaction) => Promise<void>) | undefined
}

/**
 * Copies a mirror into an empty database in one transaction: the schema of its version, the rows, the comparison with the original,
 * later migrations. Whatever ends it before leaves the database as it was.
 *
 * @returns what every table has
 * @throws UsageError when the database is not empty; DatabaseError; what the source throws
 */
export async function writeMirror(
  target: Database,
  source: ContentsSource,
  { signal, onProgress, finish }: CopyOptions,
): Promise<readonly TableCheck[]> {
  const { outline } = source
  return target.transaction(
    async (trx) => {
      using _ = await cancelTransactionOnAbort(target, trx, signal)
      await prepareSchema(trx, target.label, outline.schema)
      await clearSeeds(trx, outline.tables)
      await copyRows(trx, source, { ...target, onProgress })
      await restartIdentities(trx, outline.identities, outline.tables)
      const isPresent = outline.schema === SCHEMA_VERSION
      // What the one server and the other compute takes as long.
      const [expected, found] = await bothOf(
        source.checks(),
        (async () => {
          if (isPresent) await createIndexes(trx, onProgress)
          onProgress?.({ step: 'comparing', bytes: 0 })
          return checkTables(trx, outline.tables, () => signal.throwIfAborted())
        })(),
      )
      requireEqual(expected, found, target.label)
      await migrateWithin(trx)
      if (!isPresent) await createIndexes(trx, onProgress)
      await finish?.(trx)
      signal.throwIfAborted()
      return found
    },
    { contentBytes: outline.bytes, statementTimeoutMs: 0, idleTimeoutMs: 0 },
  )
}

/** Indexes that queries need and a load is slower with, and statistics. */
async function createIndexes(trx: Transaction, onProgress: OnProgress | undefined): Promise<void> {
  onProgress?.({ step: 'indexing', bytes: 0 })
  await prepareForQueriesWithin(trx)
}

/** Refuses a database with a mirror before any long work. @throws UsageError */
export async function requireEmpty(target: Database): Promise<void> {
  const { current } = await schemaState(target)
  if (current > 0) await target.transaction((trx) => requireNoRows(trx, target.label), { readOnly: true })
}

/** Makes the schema of the source's version, or finds it empty. */
async function prepareSchema(trx: Transaction, label: string, version: number): Promise<void> {
  const before = await migrateWithin(trx, version)
  if (before > version) {
    throw new UsageError(
      `${label} has the schema of version ${before} already, and the copy is of version ${version}: it must begin with its own. ` +
        `Nothing was stored. Name a new database, or drop the empty schema: drop schema headcount, headcount_internal cascade`,
    )
  }
  // Whoever would make an account waits, and finds this mirror.
  await trx.query('lock table headcount.accounts in share row exclusive mode')
  await requireNoRows(trx, label)
}

/** @throws UsageError that names what is there */
async function requireNoRows(trx: Transaction, label: string): Promise<void> {
  const { rows } = await trx.query(
    `select relname::text from pg_catalog.pg_class
      where relnamespace = 'headcount'::regnamespace and relkind in ('r', 'p')`,
  )
  const existing = new Set(rows.map(([table]) => String(table)))
  for (const table of COPIED_TABLES.filter((name) => existing.has(name) && !SEEDED_TABLES.includes(name))) {
    const { rows: found } = await trx.query(`select from ${tableName(table)} limit 1`)
    // guard: a target with a mirror
    if (found.length > 0) throw await notEmpty(trx, label, table)
  }
}

async function notEmpty(trx: Transaction, label: string, table: string): Promise<UsageError> {
  const { rows } = await trx.query('select name from headcount.accounts order by id limit 3')
  const names = rows.map(([name]) => stripControlCharsInLine(String(name)))
  const what = names.length === 0 ? `rows in the table ${table}` : `a mirror of ${names.join(', ')}`
  return new UsageError(
    `${label} is not empty: it has ${what}. Nothing was changed. Name an empty database, or a new folder.`,
  )
}

async function clearSeeds(trx: Transaction, tables: readonly TableColumns[]): Promise<void> {
  for (const { table } of tables.filter(({ table }) => SEEDED_TABLES.includes(table)))
    await trx.query(`delete from ${tableName(table)}`)
}

async function copyRows(
  trx: Transaction,
  source: ContentsSource,
  { requireSpace, onProgress }: Pick<Database, 'requireSpace'> & Pick<CopyOptions, 'onProgress'>,
): Promise<void> {
  const targets = new Map(source.outline.tables.map((columns) => [columns.table, copyTarget(columns)]))
  let bytes = 0
  const write: ReceiveRows = async ({ table, content }) => {
    const target = targets.get(table)
    if (target === undefined) throw new UsageError(`The copy has rows of an unknown table: ${table}`)
    // guard: disk of a copy
    await requireSpace?.(content.byteLength)
    await trx.copy(target, content, COPY_FORM)
    bytes += content.byteLength
    onProgress?.({ step: 'copying', table, bytes })
  }
  await writeBehind(source.read, write)
}

/** Both, when both have ended: neither may go on when its transaction is over. */
async function bothOf<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second])
  return Promise.all([first, second])
}
