/** What a file of an output may take the place of: nothing, or a regular file. */
import { lstat, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { UsageError } from '../../common/errors.ts'

export interface OutputWords {
  /** Whose output it is, for messages: a command, or an option. */
  readonly of: string
  /** A name for a file in a folder. */
  readonly example: string
  /** What to do in place of a device or a pipe. */
  readonly remedy: string
}

/**
 * Makes sure that a file can be written there, before anything is read for it. A file that takes the place of a device or a pipe would
 * remove it for everybody.
 *
 * @returns whether there is a file already
 * @throws UsageError for a folder, in a folder that is not there, and for what is no regular file
 */
export async function requireOutputFile(
  path: string,
  { of, example, remedy }: OutputWords,
): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory() === true)
    throw new UsageError(`${of}: ${path} is a folder: name a file in it, like ${join(path, example)}`)
  // guard: devices and pipes
  if (found !== null && !found.isFile()) throw new UsageError(`${of}: ${path} is no regular file: ${remedy}`)
  if (found !== null) return true
  const link = await lstat(path).catch(() => null)
  if (link !== null) throw new UsageError(`${of}: ${path} is a link to nothing: name the file itself`)
  await requireFolder(dirname(path), of)
  return false
}

async function requireFolder(folder: string, of: string): Promise<void> {
  const found = await stat(folder).catch(() => null)
  if (found?.isDirectory() === true) return
  throw new UsageError(
    found === null
      ? `${of}: there is no folder ${folder}: make it first (mkdir -p), or name a file in another one`
      : `${of}: ${folder} is no folder: name a file in another one`,
  )
}
