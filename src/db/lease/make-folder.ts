import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../../common/error-code.ts'

/**
 * Makes a folder and those above it that are missing. Node's own `recursive` tells a read-only file system as a folder that is not
 * there (`ENOENT`), and never ends where the parent takes no folder, as `/proc`.
 *
 * @param mode of each folder that is made
 * @returns the topmost folder that was made; undefined when all were there
 * @throws the error of the system, of the first folder that cannot be made
 */
export async function makeFolder(path: string, mode?: number): Promise<string | undefined> {
  const fault = await tryToMake(path, mode)
  if (fault === 'made') return path
  if (fault === 'there') return undefined
  const parent = dirname(path)
  if (errorCode(fault) !== 'ENOENT' || parent === path) throw fault
  const top = await makeFolder(parent, mode)
  const again = await tryToMake(path, mode)
  if (again instanceof Error) throw again
  return top ?? (again === 'made' ? path : undefined)
}

/** Another process may make it at the same moment. */
async function tryToMake(path: string, mode: number | undefined): Promise<'made' | 'there' | Error> {
  try {
    await mkdir(path, { mode })
    return 'made'
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && (await stat(path)).isDirectory()) return 'there'
    return error as Error
  }
}
