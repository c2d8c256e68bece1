/** The file of a report: it is there whole, or as it was before. */
import { randomBytes } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { UsageError } from '../../common/errors.ts'
import { outputError } from '../export/sink.ts'

/** Only its owner reads what tells names. */
const PERSONAL_MODE = 0o600
const MODE = 0o644

/**
 * Makes sure that a file can be written there, before anything is read for it.
 *
 * @throws UsageError for a folder, in a folder that is not there, and for what is no file
 */
export async function requireReportPath(path: string): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory() === true)
    throw new UsageError(`report: ${path} is a folder: name a file in it, like ${join(path, 'report.html')}`)
  if (found !== null && !found.isFile())
    throw new UsageError(`report: ${path} is no file: name a file, or - for stdout`)
  const folder = dirname(path)
  const parent = await stat(folder).catch(() => null)
  if (parent?.isDirectory() === true) return
  throw new UsageError(
    parent === null
      ? `report: there is no folder ${folder}: make it first (mkdir -p), or name a file in another one`
      : `report: ${folder} is no folder: name a file in another one`,
  )
}

/**
 * Writes beside the file and then takes its place.
 *
 * @param withPersonal only its owner may read it then
 * @throws OutputError; the reason of the signal, and the former file is as it was
 */
export async function writeReportFile(
  path: string,
  page: string,
  { withPersonal, signal }: { readonly withPersonal: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const part = `${path}.${randomBytes(6).toString('hex')}.part`
  try {
    // guard: who reads a report
    await writeWhole(part, page, withPersonal ? PERSONAL_MODE : MODE)
    signal.throwIfAborted()
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    signal.throwIfAborted()
    throw outputError(`report: the file ${path}`, error)
  }
}

async function writeWhole(path: string, page: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(page)
    await file.sync()
  } finally {
    await file.close()
  }
}
