import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { request } from 'undici'
import type { AccountReport, RunReport, VerifyReport } from '../../src/index.ts'
import { connect } from '../../src/db/connect.ts'
import { createPersonKey } from '../../src/normalise/suppression/person-key.ts'
import type { AccountShape } from '../account/account.ts'
import type { Compiled } from '../measured/compiled.ts'
import type { ExportManifest } from '../../src/outputs/export/manifest.ts'
import { EXPORTED } from '../floors/copy-out.ts'
import type { Read } from '../floors/download.ts'
import { learnValidators } from '../floors/not-modified.ts'
import type { Answered } from '../load/plan.ts'
import { serve, serving } from '../load/serve.ts'
import type { Serving } from '../load/serve.ts'
import { measureProcess, runProcess } from '../measured/process.ts'
import type { Cost } from '../measured/process.ts'
import type { Work } from '../scenarios/measurements.ts'

/** What work is done with. */
export interface Tools {
  readonly compiled: Compiled
  /** For what a floor needs to know before. */
  readonly folder: string
  /** Where CPU profiles go; null: none are taken. */
  readonly profile: string | null
}

/** Where work is done. */
export interface Place {
  /** Of the measurement; a profile bears it. */
  readonly name: string
  readonly base: string
  readonly shape: AccountShape
  /** The database; null: there is none. */
  readonly url: string | null
}

export interface Done extends Read {
  readonly cost: Cost
  /** Of a run: requests answered 304. */
  readonly notModified?: number
  /** Of a server: how it answered. */
  readonly answered?: Answered
}

/** Does a piece of work in a process of its own. */
export async function doWork(work: Work, tools: Tools, place: Place): Promise<Done> {
  if (work === 'sync') return runSync([], tools, place)
  if (work === 'syncAll') return runSync(['--all'], tools, place)
  if (work === 'syncForgetting') return runSync(['--all', '--forget-after', '36500d'], tools, place)
  if (work === 'syncSuppressing') return runSync(['--all'], tools, place, await suppress(place))
  if (isExport(work)) return runExport(EXPORTS[work], tools, place)
  if (work === 'report') return runReport(tools, place)
  if (work === 'verify') return runVerify(tools, place)
  if (work === 'node') return startNode(place)
  if (isServing(work)) return serve(work, tools, place)
  if (work !== 'notModified') return runFloor(work, place.url ?? '', tools, place)
  const file = join(tools.folder, 'validators.json')
  await learnValidators(place.base, file)
  return runFloor(work, file, tools, place)
}

const EXPORTS = { exportCsv: 'csv', exportXlsx: 'xlsx', exportParquet: 'parquet' } as const

function isExport(work: Work): work is keyof typeof EXPORTS {
  return Object.hasOwn(EXPORTS, work)
}

/** @throws Error when it did not write a row for each response */
async function runExport(
  format: (typeof EXPORTS)[keyof typeof EXPORTS],
  tools: Tools,
  place: Place,
): Promise<Done> {
  const out = join(tools.folder, `export-${format}`)
  const args = ['export', '--out', out, '--format', format, '--view', ...EXPORTED]
  const { cost, stdout } = await runCommand(args, tools, place)
  await rm(out, { recursive: true })
  const { files } = JSON.parse(stdout) as ExportManifest
  const rows = files.find(({ view }) => view === 'responses')?.rows
  const { events, responses } = place.shape
  if (rows === events * responses) return { cost, requests: 0 }
  throw new Error(`the export has ${rows} responses instead of ${events * responses}`)
}

/** A file may have so many bytes. */
const MAX_REPORT_BYTES = 2e6

/** @throws Error when the page is too large, or tells of another number of events */
async function runReport(tools: Tools, place: Place): Promise<Done> {
  const out = join(tools.folder, 'report.html')
  const { cost, stdout } = await runCommand(['report', '--out', out], tools, place)
  const { size } = await stat(out)
  await rm(out)
  const { events } = JSON.parse(stdout) as AccountReport
  if (events.total === String(place.shape.events) && size <= MAX_REPORT_BYTES) return { cost, requests: 0 }
  throw new Error(`the report tells of ${events.total} events in ${size} bytes`)
}

function isServing(work: Work): work is Serving {
  return Object.hasOwn(serving, work)
}

async function runFloor(work: Work, operand: string, tools: Tools, place: Place): Promise<Done> {
  const { cost, stdout } = await measure(tools, place, [tools.compiled.floors, work, place.base, operand])
  const { ms, ...read } = JSON.parse(stdout) as Read
  return { cost: ms === undefined ? cost : { ...cost, ms }, ...read }
}

/** @throws Error when the run did not read what it should have. */
async function runSync(
  flags: readonly string[],
  tools: Tools,
  place: Place,
  more: Environment = {},
): Promise<Done> {
  const { cost, stdout } = await runCommand(['sync', ...flags], tools, place, more)
  const { shape } = place
  const { status, events, requests, not_modified: notModified } = JSON.parse(stdout) as RunReport
  const due = flags.includes('--all') ? shape.events : shape.active
  if (status === 'succeeded' && events.due === due) return { cost, requests, notModified }
  throw new Error(`the run ${status} with ${events.due} events due instead of ${due}`)
}

type Environment = Readonly<Record<string, string>>

/** Puts 10,000 people on the suppression list of a mirror without an account. @returns the key of the list, for the environment */
async function suppress({ url }: Place): Promise<Environment> {
  const secret = 'the key of the suppression list of the bench'
  const key = createPersonKey(secret)
  const hashes = Array.from({ length: 10_000 }, (_, place) => key.hash(`erased${place}@example.org`))
  await using database = await connect(url ?? '')
  await database.transaction(async ({ kysely }) => {
    await sql`insert into headcount.accounts (name) values ('default')`.execute(kysely)
    await sql`
      insert into headcount.suppressions (account_id, email_hash, key_check, erased_at)
      select a.id, decode(hash, 'hex'), ${key.check}, now()
        from headcount.accounts a, unnest(${hashes}::text[]) hash`.execute(kysely)
  })
  return { HEADCOUNT_PERSON_KEY: secret }
}

/** @throws Error when it did not find every list equal. */
async function runVerify(tools: Tools, place: Place): Promise<Done> {
  const { cost, stdout } = await runCommand(['verify'], tools, place)
  const { status, lists_compared: lists, requests } = JSON.parse(stdout) as VerifyReport
  if (status === 'equal' && lists === place.shape.events) return { cost, requests }
  throw new Error(
    `the mirror was found ${status}, with ${lists} lists compared instead of ${place.shape.events}`,
  )
}

function runCommand(
  args: readonly string[],
  tools: Tools,
  { name, base, url }: Place,
  more: Environment = {},
) {
  const env = { HEADCOUNT_BASE_URL: base, HEADCOUNT_API_KEY: 'bench', DATABASE_URL: url ?? '', ...more }
  return measure(tools, { name }, [tools.compiled.command, ...args, '--json', '--quiet'], env)
}

/** The least that a run could be: a start of Node and two requests, on a connection that is open. */
async function startNode({ base }: Place): Promise<Done> {
  const { ms } = await runProcess(['-e', '0'])
  const ask = async (path: string) => (await request(base + path)).body.dump({ limit: Infinity })
  await ask('/ping')
  const start = performance.now()
  await ask('/ping')
  await ask('/events')
  const cost = { ms: ms + performance.now() - start, cpuMs: null, peakBytes: null, parts: null }
  return { cost, requests: 2 }
}

async function measure(
  { compiled, profile }: Tools,
  { name }: Pick<Place, 'name'>,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ cost: Cost; stdout: string }> {
  const to = profile === null ? null : { folder: profile, name }
  return measureProcess({ args, env, reportCost: compiled.reportCost, profile: to })
}
