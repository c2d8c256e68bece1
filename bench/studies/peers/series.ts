import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { executeOutsideTransaction } from '../../../src/db/cancel/execute-outside-transaction.ts'
import { connect } from '../../../src/db/connect.ts'
import type { AccountShape } from '../../account/account.ts'
import type { Version } from '../../account/versions.ts'
import type { Engine } from '../../engines/engine.ts'
import { setMark, writesSince } from '../../engines/write-counters.ts'
import type { Mark } from '../../engines/write-counters.ts'
import type { Compiled } from '../../measured/compiled.ts'
import type { Service } from '../../service/service.ts'
import { findDifferences } from './comparison/differences.ts'
import type { Differences } from './comparison/differences.ts'
import { expectedEvents } from './comparison/expected.ts'
import type { Peer, Size } from './peers.ts'
import { runTree } from './process-tree.ts'
import type { Command, TreeCost } from './process-tree.ts'
import { fingerprint } from './comparison/shown-rows.ts'

/** The runs of a peer, one after the other on the same database, and what the service answers meanwhile. */
export const shownIn = {
  cold: 'original',
  unchanged: 'original',
  edited: 'edited',
} as const satisfies Record<string, Version>
export type RunName = keyof typeof shownIn
export const runNames = Object.keys(shownIn) as RunName[]

/** What a command cost on a database at rest. */
export interface CommandCost extends TreeCost {
  /** Of the whole server. */
  readonly walBytes: number
  readonly requests: number
}

/** One run of a peer. */
export interface PeerRun extends CommandCost {
  readonly run: RunName
  /** Of the peer's rows after it (`fingerprint`). */
  readonly print: string
  readonly differences: Differences
}

export interface Series {
  readonly peer: string
  readonly size: Size
  readonly runs: readonly PeerRun[]
  /** Why there are no more of them; null: all are there. */
  readonly failure: string | null
}

/** What peers and floors are measured with. */
export interface Bench {
  readonly folder: string
  readonly compiled: Compiled
  readonly engine: Engine
  readonly service: Service
  readonly shapes: Readonly<Record<Size, AccountShape>>
  /** How long all runs of a peer may take together. */
  readonly limitMs: number
  readonly say: (text: string) => void
}

/** Runs a peer on a database of its own: cold, unchanged, edited. A failure ends its series, not the bench. */
export async function measurePeer(bench: Bench, peer: Peer, python: string, size: Size): Promise<Series> {
  const { folder, compiled, service, say } = bench
  await using mirror = await bench.engine.copy(bench.engine.empty)
  const state = join(folder, `state of ${new URL(mirror.url).pathname.slice(1)}`)
  await mkdir(state)
  const base = service.baseOf(size, peer.way)
  const command = peer.command({ base, url: mirror.url, compiled, python, state })
  const rows = await readFile(join(import.meta.dirname, peer.rows), 'utf8')
  const runs: PeerRun[] = []
  const limit = performance.now() + bench.limitMs
  try {
    for (const run of runNames) {
      await service.show(size, shownIn[run])
      const measured = await measureCommand(bench, command, mirror.url, limit - performance.now())
      say(`${peer.name} ${run} ${(measured.ms / 1000).toFixed(2)} s`)
      await using database = await connect(mirror.url)
      const print = await fingerprint(database, rows)
      const expected = expectedEvents(bench.shapes[size], shownIn[run])
      // What a run left as it was needs no second comparison, which takes longer than the run at its best.
      const known = runs.find((one) => one.print === print && shownIn[one.run] === shownIn[run])
      const differences = known?.differences ?? (await findDifferences(database, rows, expected))
      runs.push({ ...measured, run, print, differences })
    }
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error)
    say(`${peer.name} ${failure}`)
    return { peer: peer.name, size, runs, failure }
  }
  return { peer: peer.name, size, runs, failure: null }
}

/** Runs a command on a database at rest, and says what was asked and written meanwhile. */
export async function measureCommand(
  { service }: Bench,
  command: Command,
  url: string,
  limitMs: number,
): Promise<CommandCost> {
  const mark = await rest(url)
  const asked = await service.requests()
  const cost = await runTree(command, limitMs)
  const requests = (await service.requests()) - asked
  await using database = await connect(url)
  const { walBytes } = await writesSince(database, mark)
  return { ...cost, walBytes, requests }
}

/** As autovacuum and the checkpointer would have left it before the next run, whatever its tables are. */
async function rest(url: string): Promise<Mark> {
  await using database = await connect(url)
  await executeOutsideTransaction(database, 'vacuum (analyze)', { timeLimitMs: 600_000 })
  await sql`checkpoint`.execute(database.kysely)
  // Awaited here: the database is closed as soon as this returns.
  return await setMark(database)
}
