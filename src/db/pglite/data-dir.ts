/**
 * The folder of the embedded database: which one is ours to open.
 *
 * PGlite itself makes a new database in any folder that has no PG_VERSION, over whatever is there, and writes into a
 * damaged one before it gives up. So the folder is looked at first, and what is not ours is not touched.
 */
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandName } from '../../common/command-name.ts'
import { DatabaseError, MirrorNotFoundError } from '../../common/errors.ts'
import { optionName } from '../../common/option-names.ts'
import type { DatabaseLog } from '../database.ts'
import { lockName } from './lock-file.ts'
import { closeToOthers } from './data-dir-mode.ts'

/** The Postgres that PGlite 0.5 is built from; a data directory belongs to one major version. */
const majorVersion = '18'

/** The database `postgres` has this number in every new data directory. */
const mainDatabase = '5'

/** Stands in the folder while a new database is being made in it; what has it is unfinished and empty. */
const unfinishedName = 'headcount.unfinished'

const whatToDo = () => `Put a copy of it back, or name a new folder and run ${commandName()} backfill.`

/**
 * Makes the folder when it is missing, and closes one that is there to others.
 *
 * @throws DatabaseError when something else is in its place, or `create` is false and there is none, or one that was
 * never finished; or when others may enter it and that is not ours to change
 */
export async function prepareDataDir(folder: string, create: boolean, log?: DatabaseLog): Promise<void> {
  const names = await namesIn(folder)
  const isEmpty = names === null || names.every(isIncidental)
  if (!create && (isEmpty || names.includes(unfinishedName))) {
    throw new MirrorNotFoundError(
      `There is no mirror in the folder ${folder} yet. Run ${commandName()} sync first, or name another one with ${optionName('database')}.`,
    )
  }
  if (isEmpty) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } else if (!isOurs(names)) {
    throw new DatabaseError(
      `The folder ${folder} holds other files (${names.slice(0, 3).join(', ')} …) and no database; nothing was changed in it. Name an empty or a new folder.`,
    )
  }
  await closeToOthers(folder, log)
}

/**
 * Looks whether the folder, now locked, can be opened, and clears away a database that was never finished.
 *
 * @returns whether a new database will be made in it
 * @throws DatabaseError when it is damaged; it stays as it is
 */
export async function inspectDataDir(folder: string): Promise<'new' | 'existing'> {
  const names = (await namesIn(folder)) ?? []
  if (names.includes(unfinishedName)) {
    for (const name of names.filter((name) => !isIncidental(name)))
      await rm(join(folder, name), { recursive: true })
    return 'new'
  }
  if (names.every(isIncidental)) return 'new'
  const damage = await damageOf(folder, names)
  if (damage !== null)
    throw new DatabaseError(
      `The database in the folder ${folder} cannot be opened: ${damage}. Nothing was changed in it. ${whatToDo()}`,
    )
  return 'existing'
}

/** What to say when PGlite itself could not open an existing folder; the trace of its attempt is removed. */
export async function openingFailed(folder: string, error: unknown): Promise<DatabaseError> {
  await rm(join(folder, 'postmaster.pid'), { force: true })
  const reason = error instanceof Error ? error.message : String(error)
  return new DatabaseError(
    `The database in the folder ${folder} cannot be opened, it seems to be damaged (${reason}). ${whatToDo()}`,
    { cause: error },
  )
}

/** Whether the folder exists and nothing is in it yet, as in a volume that was just made. */
export async function isEmptyFolder(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => null)
  return names?.every(isIncidental) ?? false
}

/** From here until finishFolder a death leaves a folder that the next start clears. */
export async function markInitialising(folder: string): Promise<void> {
  await writeFile(join(folder, unfinishedName), '', { mode: 0o600 })
}

export async function markInitialised(folder: string): Promise<void> {
  await rm(join(folder, unfinishedName))
}

/** Our lock, or what a file system keeps at its root. */
function isIncidental(name: string): boolean {
  return name === lockName || name.startsWith(`${lockName}.`) || name === 'lost+found'
}

function isOurs(names: readonly string[]): boolean {
  return names.includes(unfinishedName) || (names.includes('global') && names.includes('base'))
}

async function damageOf(folder: string, names: readonly string[]): Promise<string | null> {
  const missing = [
    'PG_VERSION',
    'base',
    'global',
    'pg_wal',
    'pg_xact',
    'pg_multixact',
    'postgresql.conf',
  ].filter((name) => !names.includes(name))
  if (missing.length > 0) return `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`
  const version = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim()
  if (version !== majorVersion)
    return `it belongs to Postgres ${/^\d+$/.test(version) ? version : '(unreadable)'}, not ${majorVersion}`
  const control = await readFile(join(folder, 'global', 'pg_control')).catch(() => null)
  // The file has this size in every version; the eight bytes at its start are never all zero, and the number
  // behind them is the form of the file: the major version times 100.
  if (control?.length !== 8192) return 'global/pg_control is missing or cut short'
  if (control.readBigUInt64LE(0) === 0n || control.readUInt32LE(8) !== Number(majorVersion) * 100)
    return 'global/pg_control is damaged'
  if (!(await namesOf(folder, 'pg_wal')).some((name) => /^[0-9A-F]{24}$/.test(name)))
    return 'pg_wal holds no log'
  if ((await namesOf(folder, 'pg_xact')).length === 0) return 'pg_xact is empty'
  if (!(await namesOf(folder, 'base', mainDatabase)).includes('pg_filenode.map'))
    return `base/${mainDatabase} is damaged`
  return null
}

async function namesOf(...path: string[]): Promise<string[]> {
  return readdir(join(...path)).catch(() => [])
}

/** Null when there is no such folder. */
async function namesIn(folder: string): Promise<string[] | null> {
  const found = await stat(folder).catch(() => null)
  if (found === null) return null
  if (!found.isDirectory())
    throw new DatabaseError(`${folder} is not a folder. Name a folder for the embedded database.`)
  return readdir(folder)
}
