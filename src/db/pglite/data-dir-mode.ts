/**
 * An embedded database holds names, addresses and messages of people: its folder is for its owner only, as Postgres
 * wants its own to be. What lies in the folder needs no look of its own, for nobody else gets through to it.
 */
import type { Stats } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { DatabaseError } from '../../common/errors.ts'
import type { DatabaseLog } from '../database.ts'

/** What the group and all others may do. */
const OTHERS = 0o077

/**
 * Takes the rights of others on a folder away, and says so.
 *
 * @throws DatabaseError when that is not ours to do, or the file system keeps no rights
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

/** Why a folder that others may enter cannot be closed to them by this user; null when it can, or is closed. */
export async function notOurs(folder: string): Promise<string | null> {
  const user = process.geteuid?.()
  const found = await stat(folder)
  if (!isOpen(found) || user === 0 || user === found.uid) return null
  return `Others may enter the folder ${folder} (mode ${modeOf(found)}), and it belongs to another user (number ${found.uid}), who alone can change that: chmod go= ${folder}. Or name a new folder in it, like pglite:${folder}/mirror, which will be this user's.`
}

/** Windows has rights of another kind, which the mode does not show. */
function isOpen({ mode }: Stats): boolean {
  return process.geteuid !== undefined && (mode & OTHERS) !== 0
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, '0')
}
