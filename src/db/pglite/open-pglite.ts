import { realpath } from 'node:fs/promises'
import type { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import type { ConnectOptions, Database, ServedDatabase } from '../database.ts'
import type { PGliteLike, TypeParsers, QueryRunner, SendOptions } from './types.ts'
import { DatabaseError } from '../../common/errors.ts'
import { toDatabaseError } from '../errors/database-error.ts'
import { lockOfCaller, releaseClosed } from './caller-lock.ts'
import { lockFolder, noLock, type FolderLock } from '../lease/folder-lock.ts'
import {
  markInitialising,
  markInitialised,
  inspectDataDir,
  openingFailed,
  prepareDataDir,
} from './data-dir.ts'
import { requireDiskSpace, requireFileSize } from './disk-space.ts'
import { keepByteOrderMarks } from './keep-byte-order-marks.ts'
import { newDataDir } from './new-data-dir.ts'
import { guarded, reading, readersFor, withRoom } from './query-runner.ts'
import { sharePglite } from './share-pglite.ts'
import { startStatementTimeout, type StatementTimeout } from './statement-timeout.ts'
import { observeStatement } from '../../telemetry/statements.ts'
import type { Tables } from '../../common/schema/tables.ts'
import { settingsOf, type Transaction, type TransactionOptions } from '../transaction.ts'

/**
 * A database over a PGlite of the caller: it is never closed here, and keeps its own parsers.
 *
 * @throws DataDirInUseError, DatabaseError
 */
export async function wrapPGlite(pglite: PGliteLike): Promise<Database> {
  const label = 'PGlite of the caller'
  return databaseOver(pglite, label, await sent(label, () => lockOfCaller(pglite)), null)
}

/**
 * Opens the PGlite in a folder, created when it is missing; or in memory when `folder` is null.
 *
 * @throws DataDirInUseError, FolderServedError, DatabaseError
 */
export async function openPGlite(folder: string | null, options: ConnectOptions = {}): Promise<Database> {
  const { PGlite } = await import('@electric-sql/pglite')
  if (folder === null) {
    const pglite = await create(PGlite, undefined, await newDataDir())
    return databaseOver(pglite, 'PGlite in memory', noLock, pglite)
  }
  const label = `PGlite in ${folder}`
  let lock: FolderLock | null = null
  try {
    await releaseClosed()
    await requireFileSize(folder)
    await prepareDataDir(folder, options.createFolder ?? true, options.log)
    // PGlite takes no link for its folder; and a link may be changed while the folder is open.
    const at = await realpath(folder)
    lock = await lockFolder(folder, {
      at,
      waitMs: options.waitForFolderMs ?? 10_000,
      log: options.log,
      onInUse: options.onFolderInUse,
      isServed: options.isFolderServed,
      signal: options.signal,
    })
    const pglite =
      (await inspectDataDir(folder)) === 'existing'
        ? await create(PGlite, at).catch(async (error: unknown) => {
            throw await openingFailed(folder, error)
          })
        : await makeNew(PGlite, folder, at)
    return databaseOver(pglite, label, lock, pglite, folder)
  } catch (error) {
    await lock?.release()
    throw toDatabaseError(error, label)
  }
}

type Driver = typeof PGlite

/** PGlite fills its buffers with zeros when it starts: the 128 MB that it takes by itself cost every command a tenth of its time. */
function create(driver: Driver, folder?: string, loadDataDir: Blob | null = null): Promise<PGlite> {
  return driver.create(folder, {
    startParams: [...driver.defaultStartParams, '-c', 'shared_buffers=32MB'],
    ...(loadDataDir !== null && { loadDataDir }),
  })
}

async function makeNew(driver: Driver, folder: string, at: string): Promise<PGlite> {
  await requireDiskSpace(folder, {})
  await markInitialising(folder)
  const pglite = await create(driver, at, await newDataDir())
  await markInitialised(folder)
  return pglite
}

function databaseOver(
  pglite: PGliteLike,
  label: string,
  lock: FolderLock,
  /** The same PGlite when it was opened here, and must be closed here. */
  own: PGlite | null,
  /** null: in memory, or a PGlite of the caller. */
  folder: string | null = null,
): Database {
  const readers = own === null ? readersFor(pglite) : null
  if (own !== null) own.parsers = readersFor(own)
  keepByteOrderMarks(pglite)
  let closed: Promise<void> | null = null
  const shut = async () => {
    try {
      // Closing writes a checkpoint. When another process holds the folder, the database stays open instead.
      if (!pglite.closed && lock.isHeld()) await own?.close()
    } catch (error) {
      throw toDatabaseError(error, label)
    } finally {
      await lock.release()
    }
  }
  const askedThrough = (
    asked: PGliteLike,
  ): Pick<Database, 'engine' | 'label' | 'kysely' | 'transaction'> => ({
    engine: 'pglite',
    label,
    // It has one role.
    kysely: kyselyOver(reading(withRoom(guarded(asked, lock), folder), readers), label),
    transaction: async (work, options = {}) => {
      lock.assertHeld()
      if (folder !== null && options.readOnly !== true) await requireDiskSpace(folder, options)
      return inTransaction(asked, { own, readers, lock, label }, work, options)
    },
  })
  const share = (): ServedDatabase => {
    const { pglite: shared, waitedMs } = sharePglite(pglite)
    const keep = async () => {}
    return { database: { ...askedThrough(shared), close: keep, [Symbol.asyncDispose]: keep }, waitedMs }
  }
  const database: Database = {
    ...askedThrough(pglite),
    ...(folder !== null && {
      share,
      requireSpace: (bytes: number) => requireDiskSpace(folder, { contentBytes: bytes }),
    }),
    close: () => (closed ??= shut()),
    [Symbol.asyncDispose]: () => database.close(),
  }
  return database
}

const APPLY_SETTINGS =
  'select set_config(name, value, true) from unnest($1::text[], $2::text[]) as setting (name, value)'

interface Surroundings {
  /** null: a PGlite of the caller. */
  readonly own: PGlite | null
  readonly readers: TypeParsers | null
  readonly lock: FolderLock
  readonly label: string
}

async function inTransaction<T>(
  pglite: PGliteLike,
  { own, readers, lock, label }: Surroundings,
  work: (trx: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const thrown: unknown[] = []
  const lost = Promise.withResolvers<never>()
  const whole = async (tx: QueryRunner): Promise<T> => {
    const held = reading(guarded(tx, lock), readers)
    const statements = statementsOver(held, label)
    const { query } = statements
    if (options.readOnly === true) await query('set transaction isolation level repeatable read, read only')
    const settings = settingsOf('pglite', options)
    await query(APPLY_SETTINGS, [Object.keys(settings), Object.values(settings)])
    await using opened = new AsyncDisposableStack()
    let timeout: StatementTimeout | null = null
    const queryWithin: Transaction['queryWithin'] = async (ms, text, values) => {
      if (own === null) return query(text, values)
      timeout ??= opened.use(await sent(label, () => startStatementTimeout(own)))
      // guard: statements that compute
      return timeout.within(ms, () => query(text, values))
    }
    try {
      const kysely = kyselyOver(held, label)
      const result = await work({ engine: 'pglite', kysely, queryWithin, ...statements })
      lock.assertHeld()
      return result
    } catch (error) {
      thrown.push(error)
      throw error
    }
  }
  try {
    const ended = pglite.transaction(async (tx) => {
      try {
        return await whole(tx)
      } catch (error) {
        if (lock.isHeld()) throw error
        // Another process holds the folder. Even a ROLLBACK writes to the WAL, so the transaction stays open.
        lost.reject(error)
        return new Promise<never>(() => {})
      }
    })
    return await Promise.race([ended, lost.promise])
  } catch (error) {
    // An error of the work is thrown as it is, also when its ROLLBACK failed. Other errors come from BEGIN or COMMIT.
    throw thrown.length === 0 ? toDatabaseError(error, label) : thrown[0]
  }
}

/** The statements of a transaction. */
function statementsOver(
  sender: QueryRunner,
  label: string,
): Pick<Transaction, 'query' | 'copy' | 'copyOut' | 'copyOutParts'> {
  const send = (text: string, values: unknown[] = [], options: SendOptions = {}) =>
    statement(label, text, () => sender.query<unknown[]>(text, values, options))
  const copyTo = async (query: string, form: string) => {
    const { blob, rowCount } = await send(`copy (${query}) to '/dev/blob' with (${form})`)
    // PGlite gives no blob for an empty file, which only a text form of COPY writes.
    const content = Buffer.from((await blob?.arrayBuffer()) ?? new ArrayBuffer(0))
    if (content.length === 0 && form === 'format binary')
      throw new DatabaseError(`${label}: a COPY returned no data`)
    return { content, rows: rowCount ?? -1 }
  }
  return {
    query: async (text, values = []) => {
      const { fields, rows, rowCount } = await send(text, [...values], { rowMode: 'array' })
      const columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }))
      return { columns, rows, count: rowCount ?? null }
    },
    copy: async (target, rows, form = 'format binary') => {
      const { rowCount } = await send(`copy ${target} from '/dev/blob' with (${form})`, [], {
        blob: new Blob([rows]),
      })
      return rowCount ?? -1
    },
    copyOut: async (query) => (await copyTo(query, 'format binary')).content,
    copyOutParts: async (query, form, receive) => {
      const { content, rows } = await copyTo(query, form)
      await receive(content)
      return rows
    },
  }
}

/** Kysely's own dialect, reduced to sending statements. */
function kyselyOver(sender: QueryRunner, label: string): Kysely<Tables> {
  return new Kysely({
    dialect: new PGliteDialect({
      pglite: {
        query: (text, values, options) =>
          statement(label, text, () => sender.query(text, values, { rowMode: options?.rowMode ?? 'object' })),
        transaction: () => Promise.reject(new TypeError('Transactions are opened with database.transaction')),
        ready: true,
        waitReady: Promise.resolve(),
        closed: false,
        close: async () => {},
      },
    }),
  })
}

function statement<T>(label: string, text: string, send: () => Promise<T>): Promise<T> {
  return observeStatement(text, null, sent(label, send))
}

async function sent<T>(label: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    throw toDatabaseError(error, label)
  }
}
