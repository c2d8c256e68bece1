/** Which files of a folder an export wrote: a later one may replace and remove them, and no others. */
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

/** Before the first file gets its name: were this process killed then, the next export would know which files are ours. */
export async function writeJournal(path: string, names: readonly string[]): Promise<void> {
  const journal = { kind: MANIFEST_KIND, files: names.map((file) => ({ file })) }
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
export async function formerFiles(path: string, names: readonly string[]): Promise<readonly string[]> {
  const found = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    throw outputError(`export: the folder ${path}`, error)
  })
  const noFile = found.find((entry) => !entry.isFile() && [...names, MANIFEST].includes(entry.name))
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
  const former = manifest === null && journal === null ? null : [...(manifest ?? []), ...(journal ?? [])]
  // guard: the folder of somebody else
  if (former === null && seen.length > 0) {
    throw new UsageError(
      `export: the folder ${path} is not empty, and holds no export of headcount (${seen.slice(0, 3).join(', ')}${seen.length > 3 ? ', …' : ''}). Name a new folder, or an empty one.`,
    )
  }
  const ours = [...(former ?? []), ...(manifest === null ? [] : [MANIFEST])]
  const foreign = seen.find((name) => names.includes(name) && !ours.includes(name))
  if (foreign !== undefined) {
    throw new UsageError(
      `export: ${join(path, foreign)} is no file of the former export, and would be replaced. Move it away, or name another folder.`,
    )
  }
  return entries.filter((name) => former?.includes(name)).toSorted()
}

/** The files that a manifest of ours lists; null when it is none. */
async function listedFiles(manifest: string): Promise<readonly string[] | null> {
  const text = await readFile(manifest, 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const json = parseJson(text)
    if (!isObject(json) || json['kind'] !== MANIFEST_KIND || !Array.isArray(json['files'])) return null
    return json['files'].flatMap((file) => {
      const name = isObject(file) ? file['file'] : null
      return typeof name === 'string' && OURS.test(name) ? [name] : []
    })
  } catch {
    return null
  }
}
