/** A table of a Postgres on this machine whose disk is full. */
import { existsSync } from 'node:fs'
import { rename, symlink } from 'node:fs/promises'
import type { Database } from '../../../src/db/connect.ts'

/** The device on which every write fails as on a full disk. */
export const FULL_DISK = '/dev/full'

/** Makes the file of an empty table one to which nothing can be written; the rest of the server goes on. */
export async function fillDiskOf(
  database: Database,
  table: string,
): Promise<AsyncDisposable & { free: () => Promise<void> }> {
  const { rows } = await database.transaction(
    (trx) => trx.query(`select current_setting('data_directory') || '/' || pg_relation_filepath('${table}')`),
    { readOnly: true },
  )
  const file = String(rows[0]?.[0])
  await rename(file, `${file}.aside`)
  await symlink(FULL_DISK, file)
  const free = async () => {
    if (existsSync(`${file}.aside`)) await rename(`${file}.aside`, file)
  }
  return { free, [Symbol.asyncDispose]: free }
}
