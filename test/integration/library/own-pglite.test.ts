/** A PGlite of the caller in a folder: as long as it is open, nobody else has the folder. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { DataDirInUseError, listAccounts, status } from '../../../src/index.ts'
import { copyDataDir } from '../../support/files/copy-folder.ts'
import { fastFolder } from '../../support/files/fast-folder.ts'
import { makeOwnFolder } from '../../support/files/leftovers.ts'

let folder = ''

beforeEach(async () => {
  const parent = await makeOwnFolder(fastFolder, 'test-own-pglite')
  folder = join(parent, 'mirror')
  copyDataDir(inject('embeddedTemplate'), folder)
  return () => rm(parent, { recursive: true })
})

const isLocked = async () => (await readdir(folder)).includes('headcount.lock')

/** Another process that has the folder open, by its address. */
async function opener() {
  const module = JSON.stringify(join(import.meta.dirname, '../../../src/db/connect.ts'))
  const source = `import { connect } from ${module}
    await connect(process.argv[1]); console.log('open'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, `pglite:${folder}`])
  await once(Readable.from(child.stdout), 'data')
  return child
}

describe('D15 a folder that a PGlite of the caller has open', () => {
  test.each([
    ['path', () => PGlite.create(folder)],
    ['path from the working directory', () => PGlite.create(relative(process.cwd(), folder))],
    ['address', () => PGlite.create(`file://${folder}`)],
    ['file system', () => PGlite.create({ fs: new NodeFS(folder) })],
    ['path, and is not ready', async () => new PGlite(folder)],
  ])('by its %s: it is in use until it is closed', async (_, open) => {
    const pglite = await open()
    expect(await Promise.all([listAccounts({ pglite }), status({ pglite })])).toEqual([[], []])
    expect(await isLocked()).toBe(true)
    await expect(connect(`pglite:${folder}`, { waitForFolderMs: 0 })).rejects.toThrow('this very process')
    expect(await listAccounts({ pglite })).toEqual([])
    await pglite.close()
    expect(await isLocked()).toBe(false)
  })

  test('a lock that was left by a process of another machine: the call has the folder when nobody beats for some seconds', async () => {
    const lock = join(folder, 'headcount.lock')
    const elsewhere = { host: 'other', boot_id: 'other', pid_namespace: 'other', pid: 7, started: '1' }
    await writeFile(lock, JSON.stringify({ id: 'left', ...elsewhere, since: '2026-01-01T00:00:00Z' }))
    const hourAgo = Date.now() / 1000 - 3600
    await utimes(lock, hourAgo, hourAgo)
    const pglite = await PGlite.create(folder)
    expect(await listAccounts({ pglite })).toEqual([])
    await pglite.close()
    expect(await isLocked()).toBe(false)
  })

  test('by another process: refused before a statement, also when that has ended', async () => {
    const child = await opener()
    const pglite = await PGlite.create(folder)
    const statements = [vi.spyOn(pglite, 'query'), vi.spyOn(pglite, 'transaction')]
    const refused = () => expect(listAccounts({ pglite })).rejects.toThrow(DataDirInUseError)
    await expect(listAccounts({ pglite })).rejects.toThrow(
      new RegExp(`in use by process ${child.pid} on .* Close this PGlite, and open it again`),
    )
    child.kill('SIGKILL')
    await once(child, 'exit')
    await refused()
    for (const statement of statements) expect(statement).not.toHaveBeenCalled()
    await pglite.close()
    await using again = await PGlite.create(folder)
    expect(await listAccounts({ pglite: again })).toEqual([])
  })

  test('by another PGlite of this process', async () => {
    await using pglite = await PGlite.create(folder)
    await using other = await PGlite.create(folder)
    expect(await listAccounts({ pglite })).toEqual([])
    await expect(listAccounts({ pglite: other })).rejects.toThrow(/in use by this very process/)
  })

  test('is free for the next call when it was closed by others than its own close', async () => {
    const pglite = await PGlite.create(folder)
    expect(await listAccounts({ pglite })).toEqual([])
    Reflect.deleteProperty(pglite, 'close')
    await pglite.close()
    await (await connect(`pglite:${folder}`, { waitForFolderMs: 0 })).close()
    expect(await isLocked()).toBe(false)
    await expect(listAccounts({ pglite })).rejects.toThrow('PGlite is closed')
    expect(await isLocked()).toBe(false)
  })
})
