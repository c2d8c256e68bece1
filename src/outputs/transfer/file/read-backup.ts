/** Reads a backup: which entries it has, and whether they are what was written. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { createTarDecoder } from 'modern-tar'
import { errorCode } from '../../../common/error-code.ts'
import { HeadcountError, InvalidBackupError, UsageError } from '../../../common/errors.ts'
import type { ReceiveRows } from '../database/read-tables.ts'
import type { ContentsSource } from '../mirror-contents.ts'
import { MANIFEST, parseManifest, type BackupManifest } from './manifest.ts'

/** Longer entries were written by nobody: an entry is in memory as a whole. */
const MAX_ENTRY_BYTES = 2_000_000_000
const LINE_END = 0x0a
const ENTRY = /^([a-z_]+)\/\d{6,}\.copy$/

/** A backup as a source of a copy. Its content was read once, and is what was written. */
export interface Backup {
  readonly file: string
  readonly manifest: BackupManifest
  readonly source: ContentsSource
}

export interface ReadBackupOptions {
  readonly signal: AbortSignal
  /** So many bytes of rows so far. */
  readonly onBytes?: (bytes: number) => void
}

/**
 * Opens a backup, after every byte of it was read and compared with its manifest: nothing of a file that is cut short or changed is
 * restored.
 *
 * @throws UsageError when the file cannot be read; InvalidBackupError; SchemaVersionError
 */
export async function openBackup(path: string, options: ReadBackupOptions): Promise<Backup> {
  const manifest = await readBackup(path, null, options)
  const { schema, created_at, accounts, tables, identities, readers } = manifest
  const checks = tables.map(({ table, rows, checksum }) => ({ table, rows, checksum }))
  return {
    file: path,
    manifest,
    source: {
      outline: {
        schema,
        moment: created_at,
        accounts,
        bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
        tables: tables.map(({ table, columns }) => ({ table, columns })),
        identities,
        readers,
      },
      addedColumns: [],
      addedRelations: [],
      read: async (receive) => {
        await readBackup(path, receive, { signal: options.signal })
      },
      checks: async () => checks,
    },
  }
}

/** What was read of a table. */
interface Found {
  rows: number
  bytes: number
  readonly hash: ReturnType<typeof createHash>
}

async function readBackup(
  path: string,
  receive: ReceiveRows | null,
  { signal, onBytes }: ReadBackupOptions,
): Promise<BackupManifest> {
  await requireReadable(path)
  const found = new Map<string, Found>()
  let manifest: BackupManifest | null = null
  let table: string | null = null
  let bytes = 0
  try {
    for await (const { name, content } of entriesOf(path, signal)) {
      if (name === MANIFEST) manifest = parseManifest(content.toString(), path)
      else {
        table = tableOf(name, path)
        const so_far = found.get(table) ?? { rows: 0, bytes: 0, hash: createHash('sha256') }
        found.set(table, so_far)
        so_far.hash.update(content)
        so_far.rows += countLines(content)
        so_far.bytes += content.byteLength
        bytes += content.byteLength
        await receive?.({ table, content })
        onBytes?.(bytes)
      }
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof HeadcountError) throw error
    throw damaged(path, table, reasonOf(error), error)
  }
  if (manifest === null) throw damaged(path, table, 'it ends without its manifest')
  requireWritten(path, manifest, found)
  return manifest
}

async function* entriesOf(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<{ readonly name: string; readonly content: Buffer<ArrayBuffer> }> {
  const file = createReadStream(path, { highWaterMark: 1_000_000, signal })
  const inflated = createGunzip({ chunkSize: 256 * 1024 })
  file.on('error', (error) => inflated.destroy(error))
  const entries = Readable.toWeb(file.pipe(inflated)).pipeThrough(createTarDecoder({ strict: true }))
  try {
    for await (const { header, body } of entries) {
      if (header.size > MAX_ENTRY_BYTES) throw new RangeError(`its entry ${header.name} is too long`)
      const content = await buffer(body)
      if (content.byteLength !== header.size) throw new RangeError(`its entry ${header.name} ends early`)
      yield { name: header.name, content }
    }
  } finally {
    file.destroy()
    inflated.destroy()
  }
}

/** @throws UsageError */
async function requireReadable(path: string): Promise<void> {
  // Opening a pipe waits for its writer, and no signal ends that. A backup is read twice, which only a file can be.
  const isFile = (await stat(path).catch((error: unknown) => unreadable(path, error))).isFile()
  // guard: a backup that is no file
  if (!isFile)
    throw new UsageError(
      `restore: ${path} is no regular file: copy it to one first, and name that. Nothing was restored.`,
    )
  const file = await open(path, 'r').catch((error: unknown) => unreadable(path, error))
  await file.close()
}

/** @throws UsageError */
function unreadable(path: string, cause: unknown): never {
  const reason = errorCode(cause) ?? 'unknown'
  throw new UsageError(`restore: cannot read the file ${path} (${reason}). Nothing was restored.`, { cause })
}

function tableOf(name: string, path: string): string {
  const table = ENTRY.exec(name)?.[1]
  if (table !== undefined) return table
  throw new InvalidBackupError(
    `${path} is no backup of headcount: it has an entry ${JSON.stringify(name)}. Nothing was restored.`,
  )
}

function countLines(content: Buffer): number {
  let lines = 0
  for (let at = content.indexOf(LINE_END); at >= 0; at = content.indexOf(LINE_END, at + 1)) lines += 1
  return lines
}

/** @throws InvalidBackupError that names the table */
function requireWritten(path: string, { tables }: BackupManifest, found: ReadonlyMap<string, Found>): void {
  for (const { table, rows, bytes, sha256 } of tables) {
    const read = found.get(table) ?? { rows: 0, bytes: 0, hash: createHash('sha256') }
    // guard: checksums of a backup
    if (read.rows === rows && read.bytes === bytes && read.hash.digest('hex') === sha256) continue
    throw damaged(path, table, `it has ${read.rows} rows there and had ${rows}, or a row was changed`)
  }
  const foreign = [...found.keys()].find((name) => !tables.some(({ table }) => table === name))
  if (foreign !== undefined) throw damaged(path, foreign, 'its manifest does not have that table')
}

function damaged(path: string, table: string | null, reason: string, cause?: unknown): InvalidBackupError {
  const place = table === null ? 'before its first table' : `in the table ${table}`
  return new InvalidBackupError(
    `The backup ${path} is damaged ${place}: ${reason}. Nothing was restored. Take another copy of the file, or an older backup.`,
    { cause },
  )
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = errorCode(error)
  if (code === 'Z_BUF_ERROR') return 'it ends early'
  if (code === 'Z_DATA_ERROR') return 'its compressed content was changed, or it is no compressed file'
  return error.message.replace(/\.$/, '')
}
