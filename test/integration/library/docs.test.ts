/**
 * `docs/library.md` is one program; it runs as it stands, but for the addresses. On PGlite its first blocks open the folder
 * for each call, and the others share one PGlite: opening one fifty times takes longer than all else.
 */
import { readFileSync } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as library from '../../../src/index.ts'
import { run } from '../../support/commands/command.ts'
import { engines, freshPlace } from '../../support/databases/databases.ts'
import { serveAccount } from '../../support/http/serving.ts'

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/library.md'), 'utf8')
const code = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block = '']) => block).join('\n')
const apiKey = 'key-of-the-library'

const guests = (first: number) =>
  Array.from({ length: 60 }, (_, index) => ({ id: first + index, name: 'Guest', quantity: 1, rsvp: 'yes' }))
const lists = new Map([
  ['gala', guests(1)],
  ['picnic', guests(1000)],
])
const account = {
  email: 'owner@example.org',
  events: () => [...lists.keys()].map((id) => ({ id, title: id, event_at: '2030-05-01T18:00:00Z' })),
  responses: (eventId: string) => lists.get(eventId),
}
const opened = new AsyncDisposableStack()
let baseUrl = ''
let cwd = ''

beforeAll(async () => {
  baseUrl = opened.use(await serveAccount(account, apiKey)).url
  cwd = opened.use(await mkdtempDisposable(join(tmpdir(), 'headcount-test-library-'))).path
})

afterAll(() => opened.disposeAsync())

/** Imported under another name, for the page has something else of that name. */
const asCalled: Readonly<Record<string, string>> = { events: 'listEvents' }

test('calls every function of the library', () => {
  const functions = Object.entries(library).flatMap(([name, value]) =>
    typeof value === 'function' && !/^[A-Z]/.test(name) ? name : [],
  )
  expect(functions.length).toBeGreaterThan(15)
  expect(functions.filter((name) => !new RegExp(`\\b${asCalled[name] ?? name}\\(`).test(code))).toEqual([])
})

/** From here on the calls on PGlite are given an open one, as the page allows. */
const SHARED_FROM = 'const exporter = new '
const openShared = `import { PGlite } from ${JSON.stringify(import.meta.resolve('@electric-sql/pglite'))}
await using pglite = await PGlite.create('./headcount-data')
Object.assign(mirror, { database: undefined, pglite })
`

// Every function of the library, one after the other: the processes take long on a busy machine.
test.each(engines)('runs as it stands (%s)', { timeout: 600_000 }, async (engine) => {
  await using opened = new AsyncDisposableStack()
  const blank = async () => opened.use(await freshPlace(engine, { blank: true })).url
  const printed = [
    "'pglite:./headcount-data'",
    '`pglite:./restored-${Date.now()}`',
    '`pglite:./moved-${Date.now()}`',
  ]
  // The first folder is made where the page says.
  const other = engine === 'postgres' ? printed : printed.slice(1)
  const addresses = new Map<string, string>()
  for (const one of other) addresses.set(one, JSON.stringify(await blank()))
  expect([...printed, SHARED_FROM].filter((one) => !code.includes(one))).toEqual([])
  const file = join(cwd, `${engine}.ts`)
  const program = (engine === 'pglite' ? code.replace(SHARED_FROM, `${openShared}${SHARED_FROM}`) : code)
    .replace("'headcount'", JSON.stringify(join(root, 'src/index.ts')))
    .replaceAll(/'(@opentelemetry\/[\w-]+)'/g, (_, name) => JSON.stringify(import.meta.resolve(String(name))))
    .replace('https://events.example/api/v1', baseUrl)
  await writeFile(
    file,
    [...addresses].reduce((text, [address, other]) => text.replace(address, other), program),
  )
  const called = await run(process.execPath, [file], { cwd, env: { EVENTS_API_KEY: apiKey } })
  expect(called).toMatchObject({ code: 0, stderr: '' })
  const lines = [
    /^succeeded \{ inserted: 120, updated: 0, deleted: 0 \}$/m,
    /^0 migrations\n0 differences$/m,
    /^its turn\n\[ 'fulfilled', 'fulfilled', 'rejected' \] 4$/m,
    /^default \d+ 120 0\nbackfill succeeded$/m,
    /^succeeded true$/m,
    /^\[ 'id' \] 2\n100 rows\n20 rows\ngala \S+$/m,
    /^\[ 'default accepted' \]$/m,
    /^\d+ open points\n4 meanings, 0 values without one\n\[ 'gala Door 6' \]\nEurope\/Berlin\n(?:\d+ statements, 1 readers|usage)\n\[\n {2}'events\.parquet 2 [0-9a-f]{64}',\n {2}'responses\.parquet 120 [0-9a-f]{64}'\n\]\nheadcount report of default, true\n200\n200\nGET \/club\/api\/v1\/events\/gala\/responses 200\n\[ 'calendar active' \]\n\[ 'event_summary csv active' \]\n[^]*^0 tables to prune\n\[ 'north 120' \]$/m,
    /^\d+ tables, 0 readers\n0 keys and 0 links open it, also those revoked since the backup\n\[ 'default: 0 on the list' \]\n\d+ tables moved \d{4}-/m,
    /^usage The mirror has no account yet\. /m,
  ]
  expect(lines.filter((line) => !line.test(called.stdout)).map(String), called.stdout).toEqual([])
})
