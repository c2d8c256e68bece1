import { readFileSync } from 'node:fs'
import { cp, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { answerTo } from '../../support/mirror/query.ts'
import { connect, type Database } from '../../../src/db/connect.ts'
import { sync } from '../../../src/index.ts'
import { createSampleAccount } from '../../../src/commands/demo/account/account.ts'
import { headcount, inShell, run } from '../../support/commands/command.ts'
import { engines, freshPlace } from '../../support/databases/databases.ts'
import { lendPglite } from '../../support/databases/lending.ts'
import { serveAccount } from '../../support/http/serving.ts'

const root = join(import.meta.dirname, '../../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const packageReadme = readFileSync(join(root, 'build/package-readme.md'), 'utf8')
const queries = readFileSync(join(root, 'docs/queries.md'), 'utf8')
const apiKey = 'key-of-the-readme'

/** The text of every block in this language, in order. */
function blocks(language: string, document = readme): string[] {
  return [...document.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  )
}

const account = createSampleAccount({ seed: 'readme', now: new Date() })
const served = new AsyncDisposableStack()
let baseUrl = ''
let cwd = ''

beforeAll(async () => {
  baseUrl = served.use(await serveAccount(account, apiKey)).url
  cwd = served.use(await mkdtempDisposable(join(tmpdir(), 'headcount-test-readme-'))).path
})

afterAll(() => served.disposeAsync())

test('the first lines are the two commands', () => {
  expect(readme.split('\n').slice(0, 2)).toEqual(['    npm ci && npm run demo', '    npm test'])
})

describe.each(engines)('the questions (%s)', (engine) => {
  const statements = blocks('sql', queries)
  const questions = [...queries.matchAll(/^(.+)\n\n```sql$/gm)].map(([, question = '']) => question)
  const opened = new AsyncDisposableStack()
  let database: Database

  beforeAll(async () => {
    const target =
      engine === 'postgres'
        ? { database: opened.use(await freshPlace(engine)).url }
        : { pglite: opened.use(await lendPglite()).pglite }
    for (const step of [() => {}, () => account.advance()]) {
      step()
      await sync({ ...target, apiKey, baseUrl })
    }
    database = opened.use(await connect(target.database ?? target))
  })

  afterAll(() => opened.disposeAsync())

  test('are one for each view that organisers ask, and two of the tables', () => {
    expect(questions).toHaveLength(15)
    expect(statements).toHaveLength(15)
  })

  /** Whether there are such changes and slots is up to the day. */
  const mayBeNone = /moved or removed|need people/

  test.each(questions)('%s', async (question) => {
    const { rows } = await answerTo(database, statements[questions.indexOf(question)] ?? '', 10_000)
    if (!mayBeNone.test(question)) expect(rows.length).toBeGreaterThan(0)
  })

  test('every join of two tables is by account, too', () => {
    const joins = statements.flatMap((statement) =>
      statement.split('\n').filter((line) => /^ *(left )?join /.test(line)),
    )
    expect(joins.length).toBeGreaterThan(1)
    expect(joins.filter((join) => !join.includes('account_id'))).toEqual([])
  })

  test('those of README are three of them', () => {
    expect(blocks('sql')).toHaveLength(3)
    expect(blocks('sql').filter((statement) => !statements.includes(statement))).toEqual([])
  })
})

test('the call of the library in the README of the package runs as it stands, but for the address', async () => {
  const [code = ''] = blocks('ts', packageReadme)
  const [, folder = ''] = /'pglite:\.\/([\w-]+)'/.exec(code) ?? []
  // An empty mirror: to make one in this folder would take most of the time.
  await cp(inject('embeddedTemplate'), join(cwd, folder), { recursive: true })
  const file = join(cwd, 'call.ts')
  await writeFile(
    file,
    code
      .replace("'headcount'", JSON.stringify(join(root, 'src/index.ts')))
      .replace('https://events.example/api/v1', baseUrl),
  )
  const called = await run(process.execPath, [file], { cwd, env: { EVENTS_API_KEY: apiKey } })
  expect(called).toMatchObject({ code: 0, stderr: '' })
  expect(called.stdout).toMatch(/^(\d+) of \1 events$/m)
  expect(called.stdout).toMatch(/^succeeded \{ inserted: \d{4}, updated: 0, deleted: 0 \}$/m)
})

test('the line of cron runs with its own variables and nothing else, and has nothing to say', async () => {
  const lines = (blocks('crontab')[0] ?? '').trim().split('\n')
  const keyFile = join(cwd, 'key')
  await writeFile(keyFile, `${apiKey}\n`)
  await using place = await freshPlace('postgres', { blank: true })
  const own: Record<string, string> = {
    HEADCOUNT_BASE_URL: baseUrl,
    HEADCOUNT_API_KEY_FILE: keyFile,
    DATABASE_URL: place.url,
    PATH: process.env['PATH'] ?? '',
  }
  const named = lines.flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? [])
  expect(named.toSorted()).toEqual(Object.keys(own).toSorted())
  const [, command = ''] = /^(?:\S+ ){5}(.*)$/.exec(lines.at(-1) ?? '') ?? []
  const built = join(inject('command'), '../..')
  const inPlace = command.replace('/home/me/headcount', built)
  expect(inPlace).not.toBe(command)
  expect(await inShell(inPlace, { cwd, env: own })).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('the steps to Docker Compose stand at the top of its file, and make every secret that it has', () => {
  expect(readme).toContain('`docker-compose.yml` starts')
  const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8')
  const steps = [...compose.matchAll(/^# {3}(.*)$/gm)].map(([, step = '']) => step)
  const secrets = [...compose.matchAll(/^ +file: \.\/(secrets\/\w+)$/gm)].map(([, file = '']) => file)
  expect(secrets).toHaveLength(4)
  for (const file of secrets) expect(steps.filter((step) => step.includes(`> ${file}`))).toHaveLength(1)
  expect(steps.at(-1)).toMatch(/docker compose up -d$/)
})

test('every command that it names is there', async () => {
  const { stdout } = await headcount(['--help'])
  const known = [...stdout.matchAll(/^ {2}(\w+) {2,}\w/gm)].map(([, name]) => name)
  const named = [...`${readme}${queries}`.matchAll(/npx --no -- headcount (\w+)/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(4)
  expect(named.filter((name) => !known.includes(name))).toEqual([])
})
