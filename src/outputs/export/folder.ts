/** The folder of an export: how it is taken, and how its files get their names. */
import { rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from '../../common/errors.ts'
import { lockFolder, type FolderLock } from '../../db/lease/folder-lock.ts'
import { makeFolder } from '../../db/lease/make-folder.ts'
import { openPartFile, removeOldParts, type FileOptions, type PartFile } from '../files/replace-file.ts'
import type { Sink } from '../files/sink.ts'
import { formerFiles, removeJournal, unusable, writeJournal, type ListedFile } from './former-files.ts'

/** A folder that is being written to. Disposed of before `publish` begins, it is as it was before. */
export interface ExportFolder extends AsyncDisposable {
  /** Writes a file below another name, on disk when it resolves. */
  write<T>(name: string, content: (sink: Sink) => Promise<T>): Promise<T>
  /** Files of the former export that were not written again: `publish` removes them. */
  obsolete(): readonly string[]
  /** Gives all files their names, in the order in which they were written. @param files those that the manifest lists */
  publish(files: readonly ListedFile[]): Promise<void>
}

/**
 * Takes a folder: a new one, an empty one, or one that holds an export. Hidden files do not count.
 *
 * @param names of the files that will be written
 * @param options whether only their owner may read them; its abort disposes of the folder, even while a statement is still computed
 * @throws UsageError when other files are in the folder; OutputError, also when another export writes to the folder
 */
export async function openExportFolder(
  path: string,
  names: readonly string[],
  options: Pick<FileOptions, 'isPersonal' | 'signal'>,
): Promise<ExportFolder> {
  const { signal } = options
  const taken = await takeFolder(path, names)
  const { former, lock } = taken
  const parts: PartFile[] = []
  const written: string[] = []
  const obsolete = () => former.map(({ file }) => file).filter((name) => !written.includes(name))
  let isPublished = false
  const close = async () => {
    try {
      for (const part of parts) await part[Symbol.asyncDispose]()
    } finally {
      await taken.leave()
    }
  }
  const onAbort = () => {
    // The disposal does it again, and throws what fails.
    if (!isPublished) close().catch(() => {})
  }
  signal.addEventListener('abort', onAbort)
  return {
    write: async (name, content) => {
      signal.throwIfAborted()
      const part = await openPartFile(join(path, name), { of: 'export', ...options })
      parts.push(part)
      const result = await content(part.sink)
      await part.finish()
      written.push(name)
      return result
    },
    obsolete,
    publish: async (files) => {
      signal.throwIfAborted()
      assertHeld(path, lock)
      isPublished = true
      await writeJournal(path, [...former, ...files])
      for (const part of parts) await part.replace()
      for (const name of obsolete()) await rm(join(path, name), { force: true })
      await removeJournal(path)
    },
    [Symbol.asyncDispose]: async () => {
      signal.removeEventListener('abort', onAbort)
      await close()
    },
  }
}

interface TakenFolder {
  /** Files of the export that it holds. */
  readonly former: readonly ListedFile[]
  readonly lock: FolderLock
  /** Lets others take it, and removes it when it is new and empty. */
  leave(): Promise<void>
}

async function takeFolder(path: string, names: readonly string[]): Promise<TakenFolder> {
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory() === false)
    throw new UsageError(
      `export: ${path} is no folder. Name a new folder, or an empty one: each table or view becomes a file in it.`,
    )
  const made = await makeFolder(path).catch(unusable(path))
  let lock: FolderLock | null = null
  const leave = async () => {
    await lock?.release()
    if (made !== undefined) await removeEmpty(path, made)
  }
  try {
    // A folder of somebody else stays as it is.
    await formerFiles(path, names)
    // Of two exports at once each would remove files of the other, and list its own alone.
    // guard: two exports in one folder
    lock = await lockFolder(path, { waitMs: 0, remedy: AFTER_THAT_EXPORT }).catch(unusable(path))
    const former = await formerFiles(path, names)
    await removeOldParts(path)
    return { former, lock, leave }
  } catch (error) {
    await leave()
    throw error
  }
}

const AFTER_THAT_EXPORT = 'Wait until that export has ended, or name another folder.'

function assertHeld(path: string, lock: FolderLock): void {
  try {
    lock.assertHeld()
  } catch (error) {
    unusable(path)(error)
  }
}

/** Removes a folder, and those above it up to the first that was made for it, as far as they are empty. */
async function removeEmpty(path: string, made: string): Promise<void> {
  const top = resolve(made)
  for (let folder = resolve(path); folder.length >= top.length; folder = dirname(folder)) {
    const isRemoved = await rmdir(folder).then(
      () => true,
      () => false,
    )
    if (!isRemoved) return
  }
}
