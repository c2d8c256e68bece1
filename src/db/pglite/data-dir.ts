/**
 * Checks the folder of a PGlite before it is opened.
 *
 * PGlite creates a new database in any folder without PG_VERSION, over other files, and writes to a damaged database
 * before it fails. So this module inspects the folder first, and leaves other folders unchanged.
 */
import { lstat, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandName } from '../../common/command-name.ts'
import { DatabaseError, MirrorNotFoundError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import type { DatabaseLog } from '../database.ts'
import { thrownText } from '../errors/thrown-text.ts'
import { lockName } from '../lease/lock-file.ts'
import { makeFolder } from '../lease/make-folder.ts'
import { closeToOthers } from './data-dir-mode.ts'

/** The major version of Postgres in PGlite 0.5. A data directory belongs to one major version. */
const majorVersion = '18'

/** The object id of the database `postgres` in every new data directory. */
const mainDatabase = '5'

/** Marks a folder in which a new database is being created: it holds no data yet. */
const unfinishedName = 'headcount.unfinished'

const whatToDo = () => `Put a copy of it back, or name a new folder and run ${commandName()} backfill.`

/**
 * Creates a missing folder, and removes the permissions of others from an existing one.
 *
 * @throws MirrorNotFoundError when `create` is false and the folder has no finished database
 * @throws DatabaseError when the folder holds other files or the database of another version, or others may enter it and this user cannot change that
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
    await makeFolder(folder, 0o700)
  } else if (!isOurs(names)) {
    throw new DatabaseError(
      `The folder ${folder} holds other files (${names.slice(0, 3).join(', ')} …) and no database; nothing was changed in it. Name an empty or a new folder.`,
    )
  } else if (!names.includes(unfinishedName)) await requireMajorVersion(folder)
  await closeToOthers(folder, log)
}

/**
 * Of a folder that another version of PGlite made, which may belong to another program: not even its permissions are changed.
 *
 * @throws DatabaseError
 */
async function requireMajorVersion(folder: string): Promise<void> {
  const version = await versionIn(folder).catch(() => '')
  if (!/^\d+$/.test(version) || version === majorVersion) return
  throw new DatabaseError(
    `The database in the folder ${folder} was made by Postgres ${version}, and this program has Postgres ${majorVersion}. Nothing was changed in it. If it is a mirror, write a backup with the headcount that made it, and restore that into a new folder; or name a new folder and run ${commandName()} backfill.`,
  )
}

async function versionIn(folder: string): Promise<string> {
  return (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim()
}

/**
 * Inspects the locked folder, and removes an unfinished database.
 *
 * @returns whether a new database must be created
 * @throws DatabaseError for a damaged database, which stays unchanged
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

/** The error when PGlite could not open an existing folder. Removes the file that PGlite left there. */
export async function openingFailed(folder: string, error: unknown): Promise<DatabaseError> {
  await rm(join(folder, 'postmaster.pid'), { force: true })
  const reason = error instanceof Error ? error.message : thrownText(error)
  return new DatabaseError(
    `The database in the folder ${folder} cannot be opened, it seems to be damaged (${reason}). ${whatToDo()}`,
    { cause: error },
  )
}

/** Whether the folder exists and is empty, like a new volume. */
export async function isEmptyFolder(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => null)
  return names?.every(isIncidental) ?? false
}

/** Whether the path itself is a symbolic link, wherever that leads. */
export async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
}

/** Whether both paths lead to one folder, by links or otherwise. False when one is missing. */
export async function isSameFolder(one: string, other: string): Promise<boolean> {
  if (one === other) return true
  const [first, second] = await Promise.all(
    [one, other].map((path) => stat(path, { bigint: true }).catch(() => null)),
  )
  if (!first || !second) return false
  return first.dev === second.dev && first.ino === second.ino
}

/** Until `markInitialised` the next start deletes the contents of the folder. */
export async function markInitialising(folder: string): Promise<void> {
  await writeFile(join(folder, unfinishedName), '', { mode: 0o600 })
}

export async function markInitialised(folder: string): Promise<void> {
  await rm(join(folder, unfinishedName))
}

/** Our lock file, or a folder that a file system keeps at its root. */
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
  if ((await versionIn(folder)) !== majorVersion) return 'PG_VERSION is damaged'
  const control = await readFile(join(folder, 'global', 'pg_control')).catch(() => null)
  // The file has this size in every version. Its first eight bytes are never all zero. The number behind them is the
  // file's format: the major version times 100.
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
  if (found === null) {
    if (!(await isLink(folder))) return null
    throw new DatabaseError(
      `The folder ${folder} is a link that leads to no folder. Make the folder that it names, or name another one.`,
    )
  }
  if (!found.isDirectory()) throw new DatabaseError(`${folder} is not a folder. Name a folder for PGlite.`)
  return readdir(folder)
}
