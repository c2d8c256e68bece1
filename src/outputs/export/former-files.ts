/** Which files of a folder an export wrote: a later one may replace and remove them, and no others. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NEVER } from '../../common/abort.ts'
import { UsageError } from '../../common/errors.ts'
import { isObject, parseJson } from '../../common/json/exact.ts'
import { lockName } from '../../db/lease/lock-file.ts'
import { isPartName, replaceFile } from '../files/replace-file.ts'
import { outputError } from '../files/sink.ts'
import { exportFormats } from './formats/format.ts'

export const MANIFEST = 'manifest.json'

/** What stands in our manifests alone. */
export const MANIFEST_KIND = 'headcount export'

/** Is there while files get their names, and after an export that was killed then: it lists the former files and the new ones. */
const JOURNAL = '.headcount-export.json'

const extensions = exportFormats.join('|')
const OURS = new RegExp(`^[a-z_]+\\.(?:${extensions})$`)

/** A file of an export. */
export interface ListedFile {
  readonly file: string
  /** Of its bytes, in hexadecimal digits; null where a former version did not list it. */
  readonly sha256: string | null
}

/** What fails with the folder of an export. @throws OutputError */
export function unusable(path: string): (error: unknown) => never {
  return (error) => {
    throw outputError(`export: the folder ${path}`, error)
  }
}

/** Before the first file gets its name: were this process killed then, the next export would know which files are ours. */
export async function writeJournal(path: string, files: readonly ListedFile[]): Promise<void> {
  const journal = { kind: MANIFEST_KIND, files: files.map(({ file, sha256 }) => ({ file, sha256 })) }
  const options = { of: 'export', isPersonal: false, signal: NEVER }
  await replaceFile(join(path, JOURNAL), options, (sink) =>
    sink.write(Buffer.from(`${JSON.stringify(journal)}\n`)),
  )
}

/** When all files have their names, and the manifest lists them. */
export async function removeJournal(path: string): Promise<void> {
  await rm(join(path, JOURNAL), { force: true })
}

/**
 * The files of the export that the folder holds; none of an empty one.
 *
 * @param names of the files that will be written
 * @throws UsageError when other files are in the folder; OutputError
 */
export async function formerFiles(path: string, names: readonly string[]): Promise<readonly ListedFile[]> {
  const found = await readdir(path, { withFileTypes: true }).catch(unusable(path))
  const noFile = found.find((entry) => !entry.isFile() && [...names, MANIFEST, JOURNAL].includes(entry.name))
  if (noFile !== undefined) {
    throw new UsageError(
      `export: ${join(path, noFile.name)} is no regular file, and would be replaced. Move it away, or name another folder.`,
    )
  }
  const entries = found.map(({ name }) => name)
  const seen = entries.filter(
    (name) => !name.startsWith('.') && !isPartName(name) && !name.startsWith(lockName),
  )
  const manifest = await listedFiles(join(path, MANIFEST))
  // guard: files of an export that was killed
  const journal = await listedFiles(join(path, JOURNAL))
  const former = new Map<string, ListedFile>()
  for (const one of [...(manifest ?? []), ...(await writtenOf(path, journal ?? []))])
    former.set(one.file, one)
  // guard: the folder of somebody else
  if (manifest === null && journal === null && seen.length > 0) {
    throw new UsageError(
      `export: the folder ${path} is not empty, and holds no export of headcount (${seen.slice(0, 3).join(', ')}${seen.length > 3 ? ', …' : ''}). Name a new folder, or an empty one.`,
    )
  }
  const ours = [...former.keys(), ...(manifest === null ? [] : [MANIFEST])]
  const foreign = seen.find((name) => names.includes(name) && !ours.includes(name))
  if (foreign !== undefined) {
    throw new UsageError(
      `export: ${join(path, foreign)} is no file of the former export, and would be replaced. Move it away, or name another folder.`,
    )
  }
  return entries.toSorted().flatMap((name) => former.get(name) ?? [])
}

/** Of the files of a journal those that got their names: another one may be somebody's who came after the kill. */
async function writtenOf(path: string, journal: readonly ListedFile[]): Promise<readonly ListedFile[]> {
  const found = await Promise.all(journal.map(({ file }) => sha256Of(join(path, file))))
  // guard: files of somebody else after a kill
  return journal.filter(({ sha256 }, index) => sha256 === null || sha256 === found[index])
}

/** Null when there is no file that can be read. */
async function sha256Of(path: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk)
    return hash.digest('hex')
  } catch {
    return null
  }
}

/** The files that a manifest of ours lists; null when it is none. */
async function listedFiles(manifest: string): Promise<readonly ListedFile[] | null> {
  const text = await readFile(manifest, 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const json = parseJson(text)
    if (!isObject(json) || json['kind'] !== MANIFEST_KIND || !Array.isArray(json['files'])) return null
    return json['files'].flatMap((file) => {
      const { file: name, sha256 } = isObject(file) ? file : {}
      if (typeof name !== 'string' || !OURS.test(name)) return []
      return [{ file: name, sha256: typeof sha256 === 'string' ? sha256 : null }]
    })
  } catch {
    return null
  }
}
