/** A backup: a compressed tar of the rows of each table, and what they are at its end. */
import { createHash, type Hash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { createTarPacker } from 'modern-tar'
import { UsageError } from '../../../common/errors.ts'
import { version } from '../../../common/version.ts'
import type { Engine } from '../../../db/transaction.ts'
import { requireOutputFile } from '../../files/output-file.ts'
import { replaceFile } from '../../files/replace-file.ts'
import type { Sink } from '../../files/sink.ts'
import type { TableCheck } from '../database/table-checks.ts'
import type { TableColumns } from '../database/table-rows.ts'
import type { ContentsSource, OnProgress } from '../mirror-contents.ts'
import { BACKUP_FORMAT, BACKUP_KIND, MANIFEST, type BackupManifest } from './manifest.ts'

/** Rows compress well at every level; the lowest takes the least time. */
const LEVEL = 1
/** For the owner alone, when somebody unpacks it: there are names, addresses and messages. */
const MODE = 0o600

export interface BackupFileOptions {
  readonly engine: Engine
  readonly signal: AbortSignal
  readonly onProgress?: OnProgress | undefined
}

/** Refuses a name that is taken, and one that no file can have, before any long work. @throws UsageError */
export async function requireNewFile(path: string, force: boolean): Promise<void> {
  const isThere = await requireOutputFile(path, {
    of: 'backup',
    example: 'mirror.tar.gz',
    remedy: 'write it to a file, then copy it',
  })
  if (isThere && !force)
    throw new UsageError(
      `backup: the file ${path} exists already. Name another one, or replace it with --force.`,
    )
}

/**
 * Writes the file below another name, and gives it its own when all of it is on the disk. Ended before, it leaves nothing.
 *
 * @throws OutputError for a full disk; what the source throws
 */
export async function writeBackup(
  path: string,
  source: ContentsSource,
  options: BackupFileOptions,
): Promise<BackupManifest> {
  const { signal } = options
  return replaceFile(path, { of: 'backup', isPersonal: true, signal }, (sink) =>
    writeTo(sink, source, options),
  )
}

/** The entries go through the compression to the file while they are made. */
async function writeTo(
  sink: Sink,
  source: ContentsSource,
  options: BackupFileOptions,
): Promise<BackupManifest> {
  const { readable, controller } = createTarPacker()
  const writing = pipeline(readable, createGzip({ level: LEVEL }), async (content: AsyncIterable<Buffer>) => {
    for await (const part of content) await sink.write(part)
  })
  // The cause of a failure is that of the file, whatever ended first.
  writing.catch((error: unknown) => controller.error(error))
  try {
    const manifest = await packTables(controller, source, options)
    await addEntry(controller, MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
    controller.finalize()
    await writing
    return manifest
  } catch (error) {
    controller.error(error)
    await writing
    throw error
  }
}

type Packer = ReturnType<typeof createTarPacker>['controller']

/** What was written of a table. */
interface Written {
  readonly hash: Hash
  bytes: number
  parts: number
}

async function packTables(
  packer: Packer,
  source: ContentsSource,
  { engine, onProgress }: BackupFileOptions,
): Promise<BackupManifest> {
  const { outline } = source
  const written = new Map<string, Written>(
    outline.tables.map(({ table }) => [table, { hash: createHash('sha256'), bytes: 0, parts: 0 }]),
  )
  let bytes = 0
  await source.read(async ({ table, content }) => {
    const so_far = written.get(table)
    if (so_far === undefined) return
    so_far.hash.update(content)
    so_far.bytes += content.byteLength
    so_far.parts += 1
    // Each entry is of whole rows: COPY reads it by itself.
    await addEntry(packer, `${table}/${String(so_far.parts).padStart(6, '0')}.copy`, content)
    bytes += content.byteLength
    onProgress?.({ step: 'copying', table, bytes })
  })
  onProgress?.({ step: 'comparing', bytes })
  const checks = await source.checks()
  const { schema, moment, accounts, identities, readers } = outline
  return {
    kind: BACKUP_KIND,
    format: BACKUP_FORMAT,
    version: version(),
    schema,
    created_at: moment,
    engine,
    accounts,
    tables: tablesOf(outline.tables, written, checks),
    identities,
    readers,
  }
}

async function addEntry(packer: Packer, name: string, content: Buffer<ArrayBuffer>): Promise<void> {
  const writer = packer.add({ name, size: content.byteLength, mode: MODE }).getWriter()
  await writer.write(content)
  await writer.close()
}

function tablesOf(
  tables: readonly TableColumns[],
  written: ReadonlyMap<string, Written>,
  checks: readonly TableCheck[],
): BackupManifest['tables'] {
  return tables.flatMap((columns) => {
    const content = written.get(columns.table)
    const check = checks.find(({ table }) => table === columns.table)
    if (content === undefined || check === undefined) return []
    return [{ ...columns, ...check, bytes: content.bytes, sha256: content.hash.digest('hex') }]
  })
}
