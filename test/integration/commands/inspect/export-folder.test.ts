/** The folder of an export that another one broke off in, or writes to at the same time. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import type { ExportManifest } from '../../../../src/index.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import { commandStage, type CommandStage } from '../../../support/commands/command-stage.ts'
import { lockTable } from '../../../support/databases/locks.ts'

/** Loaded before the program: what becomes of the rename of a part file that is the given one, counted from 1. */
const hook = (nth: number, fate: string) => `
  const files = require('node:fs/promises')
  const { rename } = files
  let renames = 0
  files.rename = async (from, to) => {
    if (from.endsWith('.part') && ++renames === ${nth}) { ${fate} }
    return rename(from, to)
  }
  require('node:module').syncBuiltinESMExports()
`
const KILLED = `process.kill(process.pid, 'SIGKILL')`
/** It hears the signal before the rename. */
const ENDED = `process.kill(process.pid, 'SIGTERM'); await new Promise((resolve) => setTimeout(resolve, 50))`
const BUSY = `throw Object.assign(new Error('EBUSY: resource busy or locked'), { code: 'EBUSY' })`

describe('the folder of an export', () => {
  let s: CommandStage
  let parent: string
  let out: string
  beforeAll(async () => {
    s = await commandStage('postgres', accountOf({ gala: 3 }))
    expect((await s.run(['sync', '-q'])).code).toBe(0)
  })
  afterAll(() => s[Symbol.asyncDispose]())
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'headcount-test-export-'))
    out = join(parent, 'files')
  })
  afterEach(() => rm(parent, { recursive: true, force: true }))

  const exportWith = async (flags: readonly string[], hooked?: string) => {
    if (hooked === undefined) return s.run(['export', '--out', out, '-q', ...flags])
    const path = join(parent, 'hook.cjs')
    await writeFile(path, hooked)
    return s.run(['export', '--out', out, '-q', ...flags], { env: { NODE_OPTIONS: `--require ${path}` } })
  }
  const listed = async () => {
    const { files } = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8')) as ExportManifest
    return [...files.map(({ file }) => file), 'manifest.json'].toSorted()
  }
  const named = async () => (await readdir(out)).filter((name) => !name.endsWith('.part')).toSorted()

  test.each([1, 2, 4, 13])(
    'is whole again after the next export, when the first was killed at its rename %d',
    async (nth) => {
      expect((await exportWith([], hook(nth, KILLED))).code).toBeNull()
      expect(await exportWith([])).toMatchObject({ code: 0, stderr: '' })
      expect(await named()).toEqual(await listed())
    },
  )

  test.each([2, 4, 13])(
    'is whole again after the next export of another format, when one was killed at its rename %d',
    async (nth) => {
      expect((await exportWith([])).code).toBe(0)
      expect((await exportWith(['--format', 'xlsx'], hook(nth, KILLED))).code).toBeNull()
      const left = await named()
      expect(left).toContain('events.csv')
      expect(await exportWith(['--format', 'xlsx'])).toMatchObject({ code: 0, stderr: '' })
      expect(await named()).toEqual(await listed())
    },
  )

  test.each([1, 3])(
    'is whole after a signal that comes when its files get their names, at rename %d, and the export has succeeded',
    async (nth) => {
      expect(await exportWith(['--view', 'events'], hook(nth, ENDED))).toMatchObject({ code: 0, stderr: '' })
      expect(await named()).toEqual(await listed())
    },
  )

  test('is taken again after a file of it was busy, and no file of anybody else with it', async () => {
    const busy = await exportWith([], hook(4, BUSY))
    expect(busy.code).toBe(1)
    expect(busy.stderr).toContain('could not be written: EBUSY')
    await writeFile(join(out, 'notes.txt'), 'mine')
    await writeFile(join(out, 'response_history.csv'), 'mine')
    const replacing = await exportWith(['--view', 'response_history'])
    expect(replacing.code).toBe(2)
    expect(replacing.stderr).toContain('response_history.csv is no file of the former export')
    expect((await exportWith(['--view', 'events'])).code).toBe(0)
    expect(await named()).toEqual(['events.csv', 'manifest.json', 'notes.txt', 'response_history.csv'])
  })

  test.each([false, true])(
    'loses no file of somebody else that has a name which the killed export did not come to (it held an export: %s)',
    async (isThere) => {
      if (isThere) expect((await exportWith(['--format', 'xlsx'])).code).toBe(0)
      expect((await exportWith([], hook(4, KILLED))).code).toBeNull()
      await writeFile(join(out, 'slots.csv'), 'mine')
      expect(await exportWith([])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('slots.csv is no file of the former export') as string,
      })
      expect(await exportWith(['--view', 'events'])).toMatchObject({ code: 0, stderr: '' })
      expect(await named()).toEqual(['events.csv', 'manifest.json', 'slots.csv'])
      expect(await readFile(join(out, 'slots.csv'), 'utf8')).toBe('mine')
    },
  )

  test('is whole again where a former version was killed, whose journal has names alone', async () => {
    expect((await exportWith([], hook(4, KILLED))).code).toBeNull()
    const journal = join(out, '.headcount-export.json')
    await writeFile(journal, (await readFile(journal, 'utf8')).replaceAll(/,"sha256":"\w+"/g, ''))
    expect(await exportWith([])).toMatchObject({ code: 0, stderr: '' })
    expect(await named()).toEqual(await listed())
  })

  test('writes to no file elsewhere that a link in it leads to', async () => {
    const elsewhere = join(parent, 'elsewhere.json')
    await writeFile(elsewhere, 'mine')
    await mkdir(out)
    await symlink(elsewhere, join(out, '.headcount-export.json'))
    expect(await exportWith([])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('.headcount-export.json is no regular file') as string,
    })
    expect(await readFile(elsewhere, 'utf8')).toBe('mine')
  })

  test.each([false, true])(
    'is for one export at a time (it holds an export already: %s)',
    async (isThere) => {
      if (isThere) expect((await exportWith([])).code).toBe(0)
      await using database = await connect(s.place.url)
      const first = await (async () => {
        await using _ = await lockTable(database, 'payments')
        const running = exportWith([])
        await expect
          .poll(() => readdir(out).catch(() => []), { timeout: 20_000 })
          .toContainEqual(expect.stringMatching(/^payments.*\.part$/))
        const second = await exportWith(['--format', 'xlsx'])
        expect(second).toMatchObject({ code: 1, stdout: '' })
        expect(second.stderr).toMatch(
          /^headcount: export: the folder .* could not be written: The folder .* is in use by .*name another folder/,
        )
        return running
      })()
      expect(first).toMatchObject({ code: 0, stderr: '' })
      expect(await named()).toEqual(await listed())
      expect(await exportWith(['--format', 'xlsx'])).toMatchObject({ code: 0, stderr: '' })
      expect(await named()).toEqual(await listed())
    },
  )

  test('says which files it loses, for they are of another format, or of a view that is left out', async () => {
    expect((await exportWith(['--view', 'events', 'respondents'])).code).toBe(0)
    const ofEvent = ['--view', 'events', 'respondents', '--event', 'gala']
    const left = await s.run(['export', '--out', out, ...ofEvent])
    expect(left.stdout).toContain('removed, for this export does not have them: respondents.csv\n')
    expect(await named()).toEqual(['events.csv', 'manifest.json'])
    const other = await s.run(['export', '--out', out, '--view', 'events', '--format', 'ndjson', '--json'])
    expect(JSON.parse(other.stdout)).toMatchObject({ removed: ['events.csv'] })
    expect(await named()).toEqual(['events.ndjson', 'manifest.json'])
    const same = await s.run(['export', '--out', out, '--view', 'events', '--format', 'ndjson'])
    expect(same.stdout).not.toContain('removed')
  })

  test('leaves none of the folders that were made for it when it is refused', async () => {
    await mkdir(join(parent, 'a'))
    const flags = ['--view', 'events', '--event', 'nope']
    expect((await s.run(['export', '--out', join(parent, 'a', 'b', 'c'), ...flags])).code).toBe(2)
    expect(await readdir(join(parent, 'a'))).toEqual([])
  })
})
