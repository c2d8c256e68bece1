/** The file of a report: it is there whole, or as it was before. */
import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { replacedFile, requireOutputFile } from '../export/output-file.ts'
import { outputError } from '../export/sink.ts'

/** Only its owner reads what tells names. */
const PERSONAL_MODE = 0o600
const MODE = 0o644

/** Makes sure that a file can be written there, before anything is read for it. @throws UsageError */
export async function requireReportPath(path: string): Promise<void> {
  await requireOutputFile(path, {
    of: 'report',
    example: 'report.html',
    remedy: 'name a file, or - for stdout',
  })
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
  const replaced = await replacedFile(path)
  const part = `${replaced}.${randomBytes(6).toString('hex')}.part`
  try {
    // guard: who reads a report
    await writeWhole(part, page, withPersonal ? PERSONAL_MODE : MODE)
    signal.throwIfAborted()
    await rename(part, replaced)
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
