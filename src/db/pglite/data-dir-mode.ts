/**
 * A PGlite folder holds personal data: only its owner may enter it, as with a data directory of Postgres. The files in
 * it need no check, for nobody else can reach them.
 */
import type { Stats } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { DatabaseError } from '../../common/errors.ts'
import type { DatabaseLog } from '../database.ts'

/** The permission bits of the group and of all others. */
const OTHERS = 0o077

/**
 * Removes the permissions of others on a folder, and logs a warning.
 *
 * @throws DatabaseError when this user may not do that, or the file system has no permissions
 */
export async function closeToOthers(folder: string, log?: DatabaseLog): Promise<void> {
  const refusal = await notOurs(folder)
  if (refusal !== null) throw new DatabaseError(refusal)
  const found = await stat(folder)
  // guard: folder for its owner
  if (!isOpen(found)) return
  await chmod(folder, found.mode & 0o7777 & ~OTHERS)
  if (isOpen(await stat(folder))) {
    throw new DatabaseError(
      `Others may enter the folder ${folder} (mode ${modeOf(found)}), and its file system keeps no other rights. Name a folder on another one.`,
    )
  }
  log?.('warn', `Others could enter the folder ${folder} (mode ${modeOf(found)}): now its owner alone can`)
}

/** The message when others may enter the folder and this user cannot change that; else null. */
export async function notOurs(folder: string): Promise<string | null> {
  const user = process.geteuid?.()
  const found = await stat(folder)
  if (!isOpen(found) || user === 0 || user === found.uid) return null
  return `Others may enter the folder ${folder} (mode ${modeOf(found)}), and it belongs to another user (number ${found.uid}), who alone can change that: chmod go= ${folder}. Or name a new folder in it, like pglite:${folder}/mirror, which will be this user's.`
}

/** False on Windows: the mode does not show its permissions. */
function isOpen({ mode }: Stats): boolean {
  return process.geteuid !== undefined && (mode & OTHERS) !== 0
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, '0')
}
