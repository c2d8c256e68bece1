/**
 * The lock on the folder of a PGlite of the caller: PGlite takes none. It is held from the first call with this PGlite until it is
 * closed, and not for a call only: in between the PGlite keeps in memory what another process would change.
 */
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { DataDirInUseError } from '../../common/errors.ts'
import { lockFolder, noLock, type FolderLock } from '../lease/folder-lock.ts'
import type { PGliteLike } from './types.ts'

const REMEDY = 'Close this PGlite, and open it again when that has ended: until then it has outdated data.'

/** Those that are refused, too: what a PGlite has read is outdated also when the other one has ended. */
const locks = new Map<PGliteLike, Promise<FolderLock>>()

/**
 * Takes the lock without waiting for a holder that lives, or gives the one that this PGlite has. Its `release` does nothing.
 *
 * @throws DataDirInUseError when another process, or this one by another way, has the folder open
 */
export async function lockOfCaller(pglite: PGliteLike): Promise<FolderLock> {
  await releaseClosed()
  // Before, it has no file system yet.
  await Reflect.get(pglite, 'waitReady')
  const folder = pglite.closed ? null : folderOf(pglite)
  // guard: folder of a PGlite of the caller
  if (folder === null) return noLock
  const lock = await (locks.get(pglite) ?? take(pglite, folder))
  return { isHeld: () => lock.isHeld(), assertHeld: () => lock.assertHeld(), release: async () => {} }
}

/** Gives back the locks of those that were closed otherwise than by their own `close`. */
export async function releaseClosed(): Promise<void> {
  await Promise.all([...locks.keys()].filter(({ closed }) => closed).map(giveBack))
}

async function take(pglite: PGliteLike, folder: string): Promise<FolderLock> {
  const taken = realpath(folder).then((at) => lockFolder(folder, { at, waitMs: 0, remedy: REMEDY }))
  locks.set(pglite, taken)
  releaseOnClose(pglite)
  try {
    return await taken
  } catch (error) {
    if (!(error instanceof DataDirInUseError)) locks.delete(pglite)
    throw error
  }
}

async function giveBack(pglite: PGliteLike): Promise<void> {
  const taken = locks.get(pglite)
  locks.delete(pglite)
  const lock = await taken?.catch(() => null)
  await lock?.release()
}

/** By a property of its own before that of its class: PGlite tells nobody when it is closed. */
function releaseOnClose(pglite: PGliteLike): void {
  const close: unknown = Reflect.get(pglite, 'close')
  if (typeof close !== 'function') return
  Reflect.defineProperty(pglite, 'close', {
    configurable: true,
    writable: true,
    value: async () => {
      await Reflect.apply(close, pglite, [])
      // guard: folder of a PGlite that was closed
      await giveBack(pglite)
    },
  })
}

/** Null for one in memory. `dataDir` is what the caller wrote, for `fs` anything; the file system of a folder has its path. */
function folderOf(pglite: PGliteLike): string | null {
  const files: unknown = Reflect.get(pglite, 'fs')
  const root: unknown =
    typeof files === 'object' && files !== null ? Reflect.get(files, 'rootDir') : undefined
  return typeof root === 'string' ? resolve(root) : null
}
