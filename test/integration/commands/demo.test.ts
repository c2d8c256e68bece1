import type { ChildProcess } from 'node:child_process'
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import stringWidth from 'string-width'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { answerTo } from '../../support/mirror/query.ts'
import { connect } from '../../../src/db/connect.ts'
import {
  headcount,
  headcountOnTerminal,
  inShell,
  scriptPath,
  type Ran,
} from '../../support/commands/command.ts'
import { tableOf } from '../../support/outputs/report/page-tables.ts'

const escape = '\u001b'

let cwd = ''
let ran: Ran

/** Somebody's own settings: the demo must not meet them. */
const ownSettings = () => ({
  DATABASE_URL: `pglite:${join(cwd, 'mine')}`,
  HEADCOUNT_BASE_URL: 'https://127.0.0.1:9/api/v1',
  HEADCOUNT_API_KEY: 'a-key-that-must-not-be-sent',
})

describe('the demo, in a folder of its own', () => {
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'headcount-test-demo-'))
    ran = await headcount(['demo'], { cwd, env: ownSettings() })
  })

  afterAll(() => rm(cwd, { recursive: true, force: true }))

  test('ends well, with four questions answered', () => {
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    // Not a row of a table whose message is a question.
    const questions = ran.stdout.split('\n').filter((line) => /^ {3}(?:\S+ )*\S+\?$/.test(line))
    expect(questions).toHaveLength(4)
    expect(ran.stdout).toMatch(/Who comes to the next event\?[^]+^ +yes +\d+ {2}█+/m)
    expect(ran.stdout).toMatch(/^ +total +[\d,]+ +[\d,]+\.\d\d +[\d,]+\.\d\d$/m)
    expect(ran.stdout).toMatch(/^ +\w{3} \d\d \w{3} \d\d:\d\d .* ●+$/m)
  })

  test('shows that the second run wrote what changed in the account and nothing else', () => {
    const [, added, changed, cancelled] =
      /(\d+) new responses?, (\d+) changed, (\d+) cancelled/.exec(ran.stdout) ?? []
    expect(ran.stdout).toMatch(new RegExp(`^ +responses +${added} +${changed} +${cancelled}$`, 'm'))
    const [, untouched, all] = /([\d,]+) of ([\d,]+) responses were as before/.exec(ran.stdout) ?? []
    expect(numberOf(all) - numberOf(untouched)).toBe(numberOf(added) + numberOf(changed))
  })

  test('is plain text in 80 columns where there is no terminal', () => {
    expect(ran.stdout).not.toContain(escape)
    expect(ran.stdout.split('\n').filter((line) => stringWidth(line) > 80)).toEqual([])
  })

  test('leaves one folder, and meets nothing that the environment names', async () => {
    expect(ran.stdout).not.toContain(ownSettings().HEADCOUNT_API_KEY)
    expect(await readdir(cwd)).toEqual(['headcount-demo'])
    await expect(access(join(cwd, 'mine'))).rejects.toThrow('ENOENT')
  })

  test('ends with a page, in its own folder, of what the mirror holds', async () => {
    expect(ran.stdout).toMatch(
      /^4 {2}A page for the meeting$[^]*^ {3}\.\/headcount-demo\/report\.html \([\d.]+ kB\) has what is coming up/m,
    )
    const path = join(cwd, 'headcount-demo/report.html')
    const page = await readFile(path, 'utf8')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const [, all] = /with ([\d,]+) events/.exec(ran.stdout) ?? []
    expect(page).toContain(`${all} events, `)
    expect(tableOf(page, 'events-table')).toHaveLength(numberOf(all))
    expect(tableOf(page, 'upcoming')).toHaveLength(10)
    for (const id of ['pace-1', 'pace-2', 'pace-3', 'money'])
      expect(tableOf(page, id).length).toBeGreaterThan(2)
  })

  test('README quotes its parts', async () => {
    const readme = await readFile(join(import.meta.dirname, '../../../README.md'), 'utf8')
    const quoted = [...readme.matchAll(/^(\d {2}\S.*)$/gm)].map(([line]) => line.trim())
    expect(quoted).toHaveLength(2)
    for (const line of quoted) expect(ran.stdout).toContain(line)
  })

  test('shows statements that give rows', async () => {
    const statements = shownStatements(ran.stdout)
    expect(statements).toHaveLength(4)
    await using database = await connect(`pglite:${join(cwd, 'headcount-demo')}`, { createFolder: false })
    for (const statement of statements) {
      const { rows } = await answerTo(database, statement, 10_000)
      expect(rows, statement).not.toEqual([])
    }
  })

  test('tells commands that can be typed', async () => {
    const commands = shownCommands(ran.stdout)
    expect(commands).toHaveLength(3)
    const [first = '', ...others] = commands
    const typed = [await inShell(`$HEADCOUNT ${first}`, { cwd })]
    // In this process, for each process of its own opens the folder in three times as long.
    for (const command of others) {
      const { stdout } = await inShell(`printf '%s\\n' ${command}`, { cwd })
      const args = stdout.trimEnd().replace('pglite:.', `pglite:${cwd}`).split('\n')
      typed.push(await headcount(args, { env: { DATABASE_URL: 'pglite:/nowhere/at-all' } }))
    }
    for (const [at, { code, stdout }] of typed.entries()) {
      expect({ command: commands[at], code }).toEqual({ command: commands[at], code: 0 })
      expect(stdout.split('\n').length, commands[at]).toBeGreaterThan(2)
    }
  })

  test('interrupted it ends with 130', async () => {
    const { code, stderr } = await headcount(['demo'], { cwd, meanwhile: atMoment('1  Mirror it', 'SIGINT') })
    expect({ code, stderr }).toEqual({ code: 130, stderr: 'headcount: interrupted by SIGINT\n' })
  })

  test.skipIf(scriptPath === null)(
    'has no colours on a terminal where they are not wanted (needs script of util-linux)',
    async () => {
      // What follows is styled by the same function: the terminal is closed at the first heading.
      const closed = atMoment('1  Mirror it', 'SIGKILL')
      const { stdout } = await headcountOnTerminal(['demo'], {
        cwd,
        env: { NO_COLOR: '1' },
        meanwhile: closed,
      })
      expect(stdout).toContain('1  Mirror it')
      expect(stdout).not.toMatch(new RegExp(`${escape}\\[\\d+m`))
    },
  )

  test.skipIf(scriptPath === null)(
    'begins afresh after that, with colours on a terminal (needs script of util-linux)',
    async () => {
      const again = await headcountOnTerminal(['demo'], { cwd })
      expect(again.code).toBe(0)
      expect(again.stdout).toContain(`${escape}[32m█`)
      expect(again.stdout).toMatch(new RegExp(`${escape}\\[\\d+m1  Mirror it`))
      expect(again.stdout).toContain('starting the embedded Postgres, 0 s')
      // Of an event that comes nearer meanwhile one more guest may have answered.
      const [before = 0, now = 0] = [ran, again].map(({ stdout }) => firstRun(stdout))
      expect(before).toBeGreaterThan(1000)
      expect(Math.abs(now - before)).toBeLessThanOrEqual(5)
    },
  )
})

describe('the demo, where things go wrong', () => {
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'headcount-test-demo-'))
  })

  afterAll(() => rm(cwd, { recursive: true, force: true }))

  test("somebody's own mirror in its folder is refused and kept", async () => {
    const own = join(cwd, 'own')
    await mkdir(own)
    const folder = join(own, 'headcount-demo')
    const target = `pglite:${folder}`
    await cp(inject('embeddedTemplate'), folder, { recursive: true })
    await withDatabase(target, async (database) => {
      await database.kysely.insertInto('headcount.accounts').values({ name: 'choir' }).execute()
    })
    const { code, stderr } = await headcount(['demo'], { cwd: own })
    expect(code).toBe(2)
    expect(stderr).toContain('holds a mirror of your own (account choir)')
    await withDatabase(target, async ({ kysely }) => {
      const accounts = await kysely.selectFrom('headcount.accounts').select('name').execute()
      expect(accounts).toEqual([{ name: 'choir' }])
    })
  })
})

/** Sends the signal as soon as this is written: SIGINT as Ctrl-C does; SIGKILL to what gives the terminal closes it. */
function atMoment(moment: string, signal: NodeJS.Signals): (child: ChildProcess) => void {
  return (child) => {
    let written = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      written += chunk.toString()
      if (!child.killed && written.includes(moment)) child.kill(signal)
    })
  }
}

async function withDatabase(
  target: string,
  work: (database: Awaited<ReturnType<typeof connect>>) => Promise<void>,
): Promise<void> {
  await using database = await connect(target)
  await work(database)
}

/** The statements that the demo shows beside its answers. */
function shownStatements(page: string): string[] {
  const lines = page.split('\n').map((line) => line.trim())
  const blocks = lines.map((line) => (line.startsWith('│') ? line.slice(1) : '')).join('\n')
  return blocks.split(/\n{2,}/).filter((block) => block.trim() !== '')
}

/** The commands that the demo tells to type, as one shell line each, without the program's name. */
function shownCommands(page: string): string[] {
  const lines = page.replaceAll('\\\n', ' ').split('\n')
  return lines.flatMap((line) => line.match(/^ *headcount ((?:query|events|changes) .*)/)?.[1] ?? [])
}

/** The responses that the first of its two runs inserted; it updated and deleted none. */
function firstRun(page: string): number {
  return numberOf(/^ +responses +([\d,]+) +0 +0\r?$/m.exec(page)?.[1])
}

function numberOf(text = ''): number {
  return Number(text.replaceAll(',', ''))
}
