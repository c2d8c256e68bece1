/**
 * A service over real HTTP that serves a scripted account and fails as a test says, and a mirror of it. Every run
 * on this stage is followed by a look at the whole mirror: the invariants close each run, not only each test.
 */
import { inspect } from 'node:util'
import type { Pool } from 'pg'
import { describe, expect } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import type { Database, PGliteLike } from '../../../src/db/connect.ts'
import { HeadcountError } from '../../../src/common/errors.ts'
import { backfill, sync } from '../../../src/index.ts'
import type { RunOptions, RunReport } from '../../../src/index.ts'
import type { Account } from '../accounts/account.ts'
import { nothing, readContents } from '../mirror/contents.ts'
import type { Contents } from '../mirror/contents.ts'
import { engines, freshPlace, noteEngine } from '../databases/databases.ts'
import { send, startFaultServer } from '../http/fault-server.ts'
import type { FaultServer } from '../http/fault-server.ts'
import {
  expectContiguous,
  expectNoKey,
  expectNothingLost,
  expectReplay,
  expectTrue,
  expectWhole,
  liveEvents,
  servedEvents,
} from '../mirror/invariants.ts'
import { lendPglite, lendPostgres } from '../databases/lending.ts'
import { testKey } from '../http/reading.ts'

/** How a run ended, whether it gave a report or threw. */
export interface Ended {
  /** The exit code that the command line gives for it. */
  readonly exit: number
  readonly status: string | null
  readonly error: HeadcountError | null
  readonly report: RunReport
  /** Everything that it logged, reported or threw, as text. */
  readonly said: string
  readonly ms: number
}

export interface Stage extends AsyncDisposable {
  readonly engine: (typeof engines)[number]
  readonly target: Target
  /** Of the database; a PGlite that stays open has none. */
  readonly url: string
  readonly account: Account
  readonly service: FaultServer
  /** What the mirror holds, as of the last run or the last change by hand. */
  readonly mirror: Contents
  readonly sync: (options?: Partial<RunOptions>) => Promise<Ended>
  readonly backfill: (options?: Partial<RunOptions>) => Promise<Ended>
  /** A run without the look at the mirror, for runs beside each other. */
  readonly run: (mode: 'sync' | 'backfill', options?: Partial<RunOptions>) => Promise<Ended>
  /** Looks at the mirror and checks what holds after every run. */
  readonly look: () => Promise<void>
  /** Sends a statement to the mirror by hand, outside any run; what it did counts as how things were. */
  readonly change: (...statements: readonly string[]) => Promise<readonly (readonly unknown[])[]>
  /** The rows of a statement that only reads. */
  readonly query: (statement: string) => Promise<readonly (readonly unknown[])[]>
  /** The live tables say what the service says, and nothing is held, failing or rejected. */
  readonly expectMirrored: () => void
}

/** A Postgres by its address, or a PGlite that stays open. */
export type Target = string | { readonly pglite: PGliteLike }

/** As the options of a run name it. */
export function optionOf(target: Target): Pick<RunOptions, 'database' | 'pglite'> {
  return typeof target === 'string' ? { database: target } : target
}

type Tests = (stage: (account: Account) => Promise<Stage>) => void

/** The same tests on both engines; `stage` gives a service and an empty mirror. */
export function onBothStages(name: string, tests: Tests): void {
  describe.each(engines)(`${name} (%s)`, (engine) => tests((account) => startStage(engine, account)))
}

/**
 * On Postgres only: for faults that end before the database, and for variants of what another test shows on both.
 * A run on PGlite costs several times as much as one on Postgres.
 */
export function onPostgresStage(
  name: string,
  tests: (stage: (account: Account, options?: { readonly isOwn: boolean }) => Promise<Stage>) => void,
): void {
  describe(name, () => tests((account, options) => startStage('postgres', account, options)))
}

/** @param isOwn a database that no other test had, and connections that end with each run, as for what reads statistics of Postgres */
export async function startStage(
  engine: (typeof engines)[number],
  account: Account,
  { isOwn = false } = {},
): Promise<Stage> {
  await using opened = new AsyncDisposableStack()
  const service = opened.use(await startFaultServer())
  service.always(send((request) => account.answer(request)))
  const { target, lent } = await lendTarget(engine, isOwn, opened)
  const withMirror = lookFrom(lent)
  let mirror = nothing
  let moments: Contents[] = []
  const said: string[] = []

  const stage: Omit<Stage, 'mirror' | 'url' | typeof Symbol.asyncDispose> = {
    engine,
    target,
    account,
    service,
    sync: (options) => runAndLook('sync', options),
    backfill: (options) => runAndLook('backfill', options),
    run: async (mode, options = {}) => {
      const ended = await runOnce(mode, {
        ...(options.database === undefined &&
          options.pool === undefined &&
          (typeof lent === 'string' ? { database: lent } : lent)),
        apiKey: testKey,
        baseUrl: service.baseUrl.href,
        requestTimeoutMs: 5000,
        ...options,
      })
      said.push(ended.said)
      return ended
    },
    look: async () => {
      const before = mirror
      mirror = await withMirror(readContents)
      expectWhole(before, mirror, account)
      expectNothingLost(before, mirror, account)
      expectNoKey(mirror, said.splice(0).join('\n'))
      expectContiguous(mirror)
      for (const moment of moments) expectReplay(moment, mirror)
      moments.push(mirror)
    },
    change: (...statements) =>
      withMirror(async (database) => {
        const rows = await database.transaction(async (trx) => {
          let last: readonly (readonly unknown[])[] = []
          for (const statement of statements) last = (await trx.query(statement)).rows
          return last
        })
        mirror = await readContents(database)
        moments = []
        return rows
      }),
    query: (statement) =>
      withMirror((database) =>
        database.transaction(async (trx) => (await trx.query(statement)).rows, { readOnly: true }),
      ),
    expectMirrored: () => {
      expect(liveEvents(mirror)).toEqual(servedEvents(account))
      for (const [id, { held, unconfirmed, error_code }] of mirror.states)
        expect({ id, held, unconfirmed, error_code }).toEqual(fine(id))
      expect(mirror.rows('rejects')).toEqual([])
    },
  }

  async function runAndLook(mode: 'sync' | 'backfill', options: Partial<RunOptions> = {}): Promise<Ended> {
    const before = mirror
    const ended = await stage.run(mode, options)
    await stage.look()
    if (ended.status !== null) expectTrue(ended.report, before, mirror)
    return ended
  }

  const resources = opened.move()
  return {
    ...stage,
    get mirror() {
      return mirror
    },
    get url() {
      if (typeof target === 'string') return target
      throw new Error('A PGlite that stays open has no address.')
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Holds the next answer at a path back until it is released. */
export function pause(
  { service, account }: Stage,
  path: string,
): { reached: Promise<void>; release: () => void } {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  service.at(path, async (socket, request) => {
    reached.resolve()
    await released.promise
    await send((asked) => account.answer(asked))(socket, request)
  })
  return { reached: reached.promise, release: released.resolve }
}

function fine(id: string) {
  return { id, held: [], unconfirmed: [], error_code: null }
}

/** What others address, and what runs and looks go by: on a server a new connection costs as much as several looks. */
interface LentTarget {
  readonly target: Target
  readonly lent: Target | { readonly pool: Pool }
}

async function lendTarget(
  engine: (typeof engines)[number],
  isOwn: boolean,
  opened: AsyncDisposableStack,
): Promise<LentTarget> {
  if (isOwn) {
    const { url } = opened.use(await freshPlace(engine))
    return { target: url, lent: url }
  }
  if (engine === 'postgres') {
    const { url, pool } = opened.use(await lendPostgres())
    return { target: url, lent: { pool } }
  }
  noteEngine(engine)
  const { pglite } = opened.use(await lendPglite())
  return { target: { pglite }, lent: { pglite } }
}

type WithMirror = <T>(work: (database: Database) => Promise<T>) => Promise<T>

function lookFrom(lent: LentTarget['lent']): WithMirror {
  return async (work) => {
    await using database = await connect(lent)
    return await work(database)
  }
}

async function runOnce(mode: 'sync' | 'backfill', options: RunOptions): Promise<Ended> {
  const said: string[] = []
  const hear = (fields: object, message: string) => said.push(message, whole(fields))
  const logger = { debug: hear, info: hear, warn: hear, error: hear }
  const started = performance.now()
  const ended = (report: RunReport | undefined, error: HeadcountError | null): Ended => ({
    exit: error?.exitCode ?? exitCodes[report?.status ?? ''] ?? 1,
    status: report?.status ?? null,
    error,
    // A run that never took its account has no report; a test that reads it all the same fails.
    report: report ?? ({} as RunReport),
    said: [...said, whole(report), whole(error)].join('\n'),
    ms: performance.now() - started,
  })
  try {
    const onProgress = (progress: object) => said.push(whole(progress))
    return ended(await { sync, backfill }[mode]({ logger, onProgress, ...options }), null)
  } catch (error) {
    if (!(error instanceof HeadcountError)) throw error
    return ended(error.report, error)
  }
}

const exitCodes: Readonly<Record<string, number>> = { succeeded: 0, partial: 6, held: 8 }

/** A value with all that hangs on it: causes, stacks, hidden properties. */
function whole(value: unknown): string {
  return `${inspect(value, { depth: 12, showHidden: true, maxStringLength: null, maxArrayLength: null })}\n${JSON.stringify(value)}`
}
