import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { chmod, chown, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { prepareDataDir } from '../../../src/db/pglite/data-dir.ts'
import { currentProcess } from '../../../src/db/lease/process-identity.ts'
import { moveMirror } from '../../../src/outputs/transfer/library-api.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { DatabaseError, DataDirInUseError } from '../../../src/common/errors.ts'
import { copyDataDir } from '../../support/files/copy-folder.ts'
import { fastFolder } from '../../support/files/fast-folder.ts'
import { makeOwnFolder } from '../../support/files/leftovers.ts'

let parent: string
let folder: string
let lock: string

beforeEach(async () => {
  parent = await makeOwnFolder(fastFolder, 'test-folder')
  folder = join(parent, 'data')
  lock = join(folder, 'headcount.lock')
})
afterEach(() => rm(parent, { recursive: true, force: true }))

/** Another process that has the folder open (or does what `code` says) and prints a line when it does. */
async function opener(
  code = `await connect(process.argv[1]); console.log('open'); setInterval(() => {}, 1000)`,
  at = folder,
) {
  const door = new URL('../../../src/db/connect.ts', import.meta.url).href
  const source = `import { connect } from ${JSON.stringify(door)}\n${code}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, `pglite:${at}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

/**
 * Every file, and when it was last changed in whatever way: its content takes a hundred times longer to read. Of a lock, whose time
 * is its beat, what it says.
 */
async function fingerprint(path: string): Promise<Record<string, string>> {
  const files = await readdir(path, { recursive: true, withFileTypes: true })
  const names = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
  return Object.fromEntries(
    names.map((name) => {
      if (name.endsWith('.lock')) return [name, readFileSync(name, 'utf8')]
      const { ino, size, ctimeNs } = statSync(name, { bigint: true })
      return [name, `${ino} ${size} ${ctimeNs}`]
    }),
  )
}

describe('D15 a PGlite folder that is in use', () => {
  test('by another process: refused after the wait, naming it; free when that process was killed', async () => {
    copyDataDir(inject('embeddedTemplate'), folder)
    const child = await opener()
    const begin = performance.now()
    const refused = connect(`pglite:${folder}`, { waitForFolderMs: 300 })
    await expect(refused).rejects.toThrow(DataDirInUseError)
    await expect(refused).rejects.toThrow(`process ${child.pid} on `)
    expect(performance.now() - begin).toBeLessThan(8000)

    child.kill('SIGKILL')
    await once(child, 'exit')
    const again = await connect(`pglite:${folder}`, { waitForFolderMs: 0 })
    await again.close()
    expect(await readdir(folder)).not.toContain('headcount.lock')
  })

  test('a process that ends without closing leaves no lock', async () => {
    copyDataDir(inject('embeddedTemplate'), folder)
    const child = await opener(`await connect(process.argv[1]); console.log('open'); process.exit(0)`)
    if (child.exitCode === null) await once(child, 'exit')
    expect(await readdir(folder)).not.toContain('headcount.lock')
  })

  test('a holder that was taken over for dead writes nothing more, and leaves the new lock alone', async () => {
    copyDataDir(inject('embeddedTemplate'), folder)
    const database = await connect(`pglite:${folder}`)
    await writeFile(lock, JSON.stringify({ id: 'next', ...(await currentProcess()), host: 'elsewhere' }))
    await expect
      .poll(() => database.transaction((trx) => trx.query('select 1')).then(() => 'writes', String), {
        timeout: 30_000,
      })
      .toContain('taken over')
    await database.close()
    expect(await readFile(lock, 'utf8')).toContain('"next"')
  })

  test.concurrent.each([
    ['before a transaction', `await wake; await database.transaction(insert)`],
    ['in a transaction', `await database.transaction(async (trx) => { await wake; await insert(trx) })`],
    [
      'before its COMMIT',
      `await database.transaction(async (trx) => { await insert(trx); await ready(); await wake })`,
    ],
  ])(
    'a holder that was frozen %s and taken over writes nothing when it wakes, not even by closing',
    async (_when, work) => {
      const path = await makeOwnFolder(fastFolder, 'test-frozen')
      copyDataDir(inject('embeddedTemplate'), path)
      const child = await opener(
        `const database = await connect(process.argv[1])
         const insert = (trx) => trx.query("insert into headcount.accounts (name) values ('late')")
         const wake = new Promise((resolve) => process.on('SIGUSR2', resolve))
         const ready = () => console.log('open')
         const worked = (async () => { ${work} })()
         if (!${work.includes('ready()')}) ready()
         setInterval(() => {}, 1000)
         await worked.then(() => console.log('wrote'), (error) => console.log(error.message))
         await database.close()
         process.exit(0)`,
        path,
      )
      try {
        await sleep(200)
        child.kill('SIGSTOP')
        await writeFile(
          join(path, 'headcount.lock'),
          JSON.stringify({ id: 'next', ...(await currentProcess()), host: 'elsewhere' }),
        )
        const before = await fingerprint(path)
        await sleep(16_000)
        let said = ''
        child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
        const ended = once(child, 'close')
        child.kill('SIGUSR2')
        child.kill('SIGCONT')
        await ended
        expect(said).toContain('was taken over by another process')
        expect(await fingerprint(path)).toEqual(before)
      } finally {
        child.kill('SIGKILL')
        await rm(path, { recursive: true, force: true })
      }
    },
  )
})

test('D16 a folder of another version of PGlite is refused with what to do, and keeps even its permissions', async () => {
  copyDataDir(inject('embeddedTemplate'), folder)
  await writeFile(join(folder, 'PG_VERSION'), '17\n')
  await chmod(folder, 0o750)
  const before = await fingerprint(folder)
  await expect(connect(`pglite:${folder}`)).rejects.toMatchObject({
    exitCode: 5,
    message: expect.stringMatching(
      /made by Postgres 17, and this program has Postgres 18\. .* backup .* restore/,
    ),
  })
  expect(await fingerprint(folder)).toEqual(before)
  expect((await stat(folder)).mode & 0o777).toBe(0o750)
})

describe('D16 a folder that cannot be opened is refused and not touched', () => {
  const damages: Record<string, (folder: string) => Promise<void>> = {
    'without PG_VERSION': (path) => rm(join(path, 'PG_VERSION')),
    'with an empty PG_VERSION': (path) => writeFile(join(path, 'PG_VERSION'), ''),
    'with a pg_control of zeros': (path) => writeFile(join(path, 'global', 'pg_control'), Buffer.alloc(8192)),
    'without its log': (path) => rm(join(path, 'pg_wal'), { recursive: true }),
    'without its main database': (path) => rm(join(path, 'base', '5'), { recursive: true }),
  }
  test.each(Object.entries(damages))('%s', async (_name, damage) => {
    copyDataDir(inject('embeddedTemplate'), folder)
    await damage(folder)
    const before = await fingerprint(folder)
    const refused = connect(`pglite:${folder}`)
    await expect(refused).rejects.toThrow(DatabaseError)
    await expect(refused).rejects.toThrow(/Nothing was changed in it\. Put a copy of it back/)
    expect(await fingerprint(folder)).toEqual(before)
  })

  test('with a log that only PGlite can tell is damaged', async () => {
    copyDataDir(inject('embeddedTemplate'), folder)
    const log = join(folder, 'pg_wal')
    for (const name of await readdir(log)) if (name.length === 24) await writeFile(join(log, name), 'damaged')
    const before = await fingerprint(folder)
    await expect(connect(`pglite:${folder}`)).rejects.toThrow(/seems to be damaged.*Put a copy of it back/)
    expect(await fingerprint(folder)).toEqual(before)
  })

  test('with other files', async () => {
    await mkdir(folder)
    await writeFile(join(folder, 'photo.jpg'), 'x')
    await expect(connect(`pglite:${folder}`)).rejects.toThrow('photo.jpg')
    expect(await readdir(folder)).toEqual(['photo.jpg'])
  })

  test('a file in its place', async () => {
    await writeFile(folder, 'x')
    await expect(connect(`pglite:${folder}`)).rejects.toThrow('not a folder')
  })

  test('missing, for a command that only reads', async () => {
    await expect(connect(`pglite:${folder}`, { createFolder: false })).rejects.toThrow(
      'no mirror in the folder',
    )
    expect(await readdir(parent)).toEqual([])
  })

  test('never finished, for a command that only reads', async () => {
    await mkdir(join(folder, 'base'), { recursive: true })
    await writeFile(join(folder, 'headcount.unfinished'), '')
    await expect(connect(`pglite:${folder}`, { createFolder: false })).rejects.toThrow(
      'no mirror in the folder',
    )
    expect((await readdir(folder)).toSorted()).toEqual(['base', 'headcount.unfinished'])
  })
})

const modeOf = async (path: string) => (await stat(path)).mode & 0o7777

describe.skipIf(process.platform === 'win32')('X11 a folder that others may enter', () => {
  test('is closed to them when it is opened, also by a command that only reads, with a line', async () => {
    copyDataDir(inject('embeddedTemplate'), folder)
    await chmod(folder, 0o2775)
    const said: string[] = []
    const log = (level: string, message: string) => said.push(`${level} ${message}`)
    const database = await connect(`pglite:${folder}`, { createFolder: false, log })
    expect(await modeOf(folder)).toBe(0o2700)
    await database.close()
    expect(said).toEqual([
      `warn Others could enter the folder ${folder} (mode 2775): now its owner alone can`,
    ])
  })

  test.each(['755', '711', '750', '1777'])('mode %s of an empty one, as of a new volume', async (octal) => {
    const mode = Number.parseInt(octal, 8)
    await mkdir(folder)
    await chmod(folder, mode)
    await prepareDataDir(folder, true)
    expect(await modeOf(folder)).toBe(mode & 0o7700)
    const said: string[] = []
    await prepareDataDir(folder, true, (_, message) => said.push(message))
    expect(said).toEqual([])
  })

  test('keeps its mode when it is refused for what is in it, or was never finished', async () => {
    await mkdir(folder)
    await chmod(folder, 0o755)
    await expect(prepareDataDir(folder, false)).rejects.toThrow('no mirror in the folder')
    await writeFile(join(folder, 'photo.jpg'), 'x')
    await expect(prepareDataDir(folder, true)).rejects.toThrow('photo.jpg')
    expect(await modeOf(folder)).toBe(0o755)
  })

  test.skipIf(process.geteuid?.() !== 0)(
    'is refused, and not touched, when it is of another user (needs root)',
    async () => {
      const nobody = 65_534
      await mkdir(folder)
      await chmod(folder, 0o2775)
      await chown(parent, nobody, nobody)
      process.setegid?.(nobody)
      process.seteuid?.(nobody)
      try {
        await expect(prepareDataDir(folder, true)).rejects.toThrow(
          `Others may enter the folder ${folder} (mode 2775), and it belongs to another user (number 0)`,
        )
        await expect(prepareDataDir(folder, true)).rejects.toThrow(DatabaseError)
      } finally {
        process.seteuid?.(0)
        process.setegid?.(0)
      }
      expect(await modeOf(folder)).toBe(0o2775)
      expect(await readdir(folder)).toEqual([])
    },
  )
})

test('D12 killed 400 and 2500 ms into its creation and migration: the next start makes it whole, for its owner only', async () => {
  const door = new URL('../../../src/db/migrate.ts', import.meta.url).href
  for (const ms of [400, 2500]) {
    // The second one begins with what the first one left.
    const child = await opener(
      `const { migrate } = await import(${JSON.stringify(door)}); console.log('start')
       await migrate(await connect(process.argv[1])); setInterval(() => {}, 1000)`,
    )
    await sleep(ms)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await using database = await connect(`pglite:${folder}`, { waitForFolderMs: 0 })
  expect(await modeOf(folder)).toBe(0o700)
  await migrate(database)
  expect(await database.kysely.selectFrom('headcount.events').selectAll().execute()).toEqual([])
})

describe('a link to a folder', () => {
  let link: string
  beforeEach(() => {
    link = join(parent, 'link')
  })

  test.each(['with a mirror', 'that is empty'])(
    '%s is opened as the folder is, and locked as that',
    async (kind) => {
      if (kind === 'that is empty') await mkdir(folder)
      else copyDataDir(inject('embeddedTemplate'), folder)
      await symlink(folder, link)
      const database = await connect(`pglite:${link}`)
      expect(database.label).toBe(`PGlite in ${link}`)
      await expect(connect(`pglite:${folder}`, { waitForFolderMs: 0 })).rejects.toThrow(DataDirInUseError)
      await database.close()
      expect(await readdir(folder)).not.toContain('headcount.unfinished')
      const again = await connect(`pglite:${folder}`, { waitForFolderMs: 0 })
      await again.close()
    },
  )

  test('is no other place to move a mirror to', async () => {
    await mkdir(folder)
    await symlink(folder, link)
    const moved = moveMirror({ database: `pglite:${folder}`, to: `pglite:${link}` })
    await expect(moved).rejects.toThrow(`The mirror is in the folder ${link} already`)
    expect(await readdir(folder)).toEqual([])
  })

  test('that leads nowhere or in a circle is refused, and nothing is made', async () => {
    await symlink(folder, link)
    await expect(connect(`pglite:${link}`)).rejects.toThrow('is a link that leads to no folder')
    await rm(link)
    await symlink(link, link)
    await expect(connect(`pglite:${link}`)).rejects.toThrow('is a link that leads to no folder')
    await expect(connect(`pglite:${link}`, { createFolder: false })).rejects.toThrow('leads to no folder')
    expect(await readdir(parent)).toEqual(['link'])
  })
})
