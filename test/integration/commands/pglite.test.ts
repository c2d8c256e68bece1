/** The embedded database as the command opens it: its memory, its start, and the wait for a folder that is in use. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { lockFolder } from '../../../src/db/lease/folder-lock.ts'
import {
  headcount,
  headcountOnTerminal,
  run,
  scriptPath,
  untilShown,
} from '../../support/commands/command.ts'
import { freshPlace, type Place } from '../../support/databases/databases.ts'

/** Linux hands `maxRSS` down from the process that starts another one; what it says in `/proc` it does not. */
const tellsPeak = `data:text/javascript,${encodeURIComponent(
  `import { readFileSync } from 'node:fs'
   const ofLinux = () => /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
   process.on('exit', () => console.error('peak kB', process.platform === 'linux' ? ofLinux() : process.resourceUsage().maxRSS))`,
)}`

let place: Place
let env: Readonly<Record<string, string>>
beforeAll(async () => {
  place = await freshPlace('pglite')
  env = { DATABASE_URL: place.url }
})
afterAll(() => place[Symbol.asyncDispose]())

test('D21 a command opens a folder in 450 MB: PGlite is not compiled a second time for speed', async () => {
  const { code, stderr } = await run(process.execPath, ['--import', tellsPeak, inject('command'), 'status'], {
    env,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^peak kB \d+\n$/) as string })
  // 185 MB, and some 380 MB more with it.
  expect(Number(stderr.split(' ')[2])).toBeLessThan(450_000)
})

test('D21 what Node compiled for a start is of use to the next one', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'headcount-test-cache-'))
  try {
    const start = () =>
      headcount(['--version'], { env: { NODE_COMPILE_CACHE: cache, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' } })
    expect((await start()).stderr).not.toContain('was accepted')
    expect((await start()).stderr).toMatch(/cli\.cjs was accepted/)
  } finally {
    await rm(cache, { recursive: true })
  }
})

test('D22 a folder in use: said at once, with who has it, and opened when it is free', async () => {
  const held = await lockFolder(place.url.slice('pglite:'.length), { waitMs: 0 })
  const { code, stdout, stderr } = await headcount(['status', '--json'], {
    env,
    meanwhile: async (child) => {
      await new Promise((resolve) => child.stderr?.once('data', resolve))
      await held.release()
    },
  })
  expect({ code, json: JSON.parse(stdout) as unknown }).toEqual({ code: 0, json: { accounts: [] } })
  const line = String.raw`^\[\d\d:\d\d:\d\d\] INFO: process ${process.pid} on \S+ has ${place.url.slice(7)} open: waiting up to 10 s\n$`
  expect(stderr).toMatch(new RegExp(line))
})

test.skipIf(scriptPath === null)(
  'D22 a folder in use, on a terminal: a line counts the time and goes away',
  async () => {
    const held = await lockFolder(place.url.slice('pglite:'.length), { waitMs: 0 })
    const { code, stdout } = await headcountOnTerminal(['runs'], {
      env,
      meanwhile: async (child) => {
        await untilShown(child, ': waiting, 1 of 10 s')
        await held.release()
      },
    })
    expect(code).toBe(0)
    expect(stdout).toContain(`process ${process.pid} on`)
    expect(stdout).toMatch(/: waiting, 1 of 10 s\r\u001B\[2K/)
    expect(stdout).toMatch(/\r\u001B\[2KNo runs yet\.\r\n$/)
  },
)
