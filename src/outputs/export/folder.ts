/** The folder of an export: which one is taken, and how its files get their names. */
import { mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../../common/errors.ts'
import { isObject, parseJson } from '../../common/json/exact.ts'
import {
  isPartName,
  openPartFile,
  removeOldParts,
  type FileOptions,
  type PartFile,
} from '../files/replace-file.ts'
import { outputError, type Sink } from '../files/sink.ts'
import { exportFormats } from './formats/format.ts'

export const MANIFEST = 'manifest.json'

/** What stands in our manifests alone. */
export const MANIFEST_KIND = 'headcount export'

const extensions = exportFormats.join('|')
const OURS = new RegExp(`^[a-z_]+\\.(?:${extensions})$`)

/** A folder that is being written to. Disposed of before `publish` begins, it is as it was before. */
export interface ExportFolder extends AsyncDisposable {
  /** Writes a file below another name, on disk when it resolves. */
  write<T>(name: string, content: (sink: Sink) => Promise<T>): Promise<T>
  /** Gives all files their names, the manifest last, and removes those of the former export that are no more. */
  publish(): Promise<void>
}

/**
 * Takes a folder: a new one, an empty one, or one that holds an export. Hidden files do not count.
 *
 * @param names of the files that will be written
 * @param options whether only their owner may read them; its abort disposes of the folder, even while a statement is still computed
 * @throws UsageError when other files are in the folder; OutputError
 */
export async function openExportFolder(
  path: string,
  names: readonly string[],
  options: Pick<FileOptions, 'isPersonal' | 'signal'>,
): Promise<ExportFolder> {
  const { signal } = options
  const made = await mkdir(path, { recursive: true }).catch((error: unknown) => {
    throw outputError(`export: the folder ${path}`, error)
  })
  const former = await formerFiles(path, names)
  await removeOldParts(path)
  const parts: PartFile[] = []
  let isPublished = false
  const close = async () => {
    if (isPublished) return
    for (const part of parts) await part[Symbol.asyncDispose]()
    if (made !== undefined) await rmdir(path).catch(() => undefined)
  }
  const onAbort = () => void close()
  signal.addEventListener('abort', onAbort)
  return {
    write: async (name, content) => {
      signal.throwIfAborted()
      const part = await openPartFile(join(path, name), { of: 'export', ...options })
      parts.push(part)
      const result = await content(part.sink)
      await part.finish()
      return result
    },
    publish: async () => {
      signal.throwIfAborted()
      isPublished = true
      try {
        for (const part of parts) await part.replace()
      } finally {
        // Nothing is left of those that could not be renamed.
        for (const part of parts) await part[Symbol.asyncDispose]()
      }
      for (const name of former) if (!names.includes(name)) await rm(join(path, name), { force: true })
    },
    [Symbol.asyncDispose]: async () => {
      signal.removeEventListener('abort', onAbort)
      await close()
    },
  }
}

/** The files of the export that the folder holds; none of an empty one. */
async function formerFiles(path: string, names: readonly string[]): Promise<readonly string[]> {
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
  const seen = entries.filter((name) => !name.startsWith('.') && !isPartName(name))
  const former = await listedFiles(join(path, MANIFEST))
  // guard: the folder of somebody else
  if (former === null && seen.length > 0) {
    throw new UsageError(
      `export: the folder ${path} is not empty, and holds no export of headcount (${seen.slice(0, 3).join(', ')}${seen.length > 3 ? ', …' : ''}). Name a new folder, or an empty one.`,
    )
  }
  const foreign = seen.find((name) => names.includes(name) && name !== MANIFEST && !former?.includes(name))
  if (foreign !== undefined) {
    throw new UsageError(
      `export: ${join(path, foreign)} is no file of the former export, and would be replaced. Move it away, or name another folder.`,
    )
  }
  return former ?? []
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
