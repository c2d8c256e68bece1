/** What stands on record of runs: how each ended, and which backfill it belongs to. */
import type { Ran } from './judge-run.ts'
import { require, requireEqual } from './judge.ts'
import { canonical } from '../account/items.ts'
import type { Ended } from '../play/running.ts'
import type { Fate, RunStep } from '../play/steps.ts'
import type { World } from '../play/world.ts'

export interface RunOnRecord {
  readonly id: number
  readonly mode: string
  /** Of named events only. */
  readonly selective: boolean
  readonly status: string
  readonly startedAt: number
  /** The number of the run that its backfill began with. */
  readonly backfill: number | null
}

const HOURS_24 = 24 * 60

/** The backfill that a new one continues: the last one, when it did not read every event and is a day old at most. */
export function unfinished({ runs, minute }: Pick<World, 'runs' | 'minute'>): number | null {
  const last = runs.findLast(({ mode, selective }) => mode === 'backfill' && !selective)
  if (last === undefined || last.backfill === null || ['succeeded', 'held'].includes(last.status)) return null
  const first = runs.find(({ id }) => id === last.backfill)
  return first !== undefined && minute - first.startedAt < HOURS_24 ? first.id : null
}

/** One run more, with its end; the one that was dead is abandoned. */
export function requireOnRecord(world: World, ran: Ran, seen: readonly RunOnRecord[], status: string): void {
  const former = withoutRunning(world)
  requireEqual(seen.slice(0, -1), former, 'the earlier runs on record')
  const last = seen.at(-1)
  require(last !== undefined, 'no run is on record')
  const { mode, named, backfill } = ran.asked
  const expected = {
    id: last?.id,
    mode,
    selective: named !== null,
    status,
    startedAt: world.minute,
    backfill: mode === 'sync' || named !== null ? null : (backfill ?? last?.id),
  }
  requireEqual(last, expected, 'the run on record')
  world.runs = [...seen]
  world.stuck = null
}

/** A run that was asked for an event that is not there leaves no row of its own. */
export function requireNotOnRecord(world: World, seen: readonly RunOnRecord[]): void {
  requireEqual(seen, withoutRunning(world), 'the runs on record, after one of an unknown event')
  world.runs = [...seen]
  world.stuck = null
}

/** The runs before this one: the one that was dead is abandoned. */
function withoutRunning({ runs }: World): readonly RunOnRecord[] {
  return runs.map((run) => (run.status === 'running' ? { ...run, status: 'abandoned' } : run))
}

/** After a run that broke off, what its end looks like depends on where it did. */
export function takeRecord(world: World, { step, broken, ended }: Ran, seen: readonly RunOnRecord[]): void {
  const former = withoutRunning(world)
  const isThere = canonical(seen) !== canonical(world.runs)
  if (isThere) requireEqual(seen.slice(0, -1), former, 'the earlier runs on record')
  world.runs = [...seen]
  const isStuck = seen.at(-1)?.status === 'running'
  // The database itself is there: that the run failed is stored.
  require(!broken.hasLostConnection || !isThere || !isStuck, 'a run that lost a connection is still running')
  if (!isStuck) world.stuck = null
  else if (isThere) world.stuck = { since: world.minute, fate: fateOf(step, ended) }
}

/** Who never heard that his run had begun has none to give up. */
function fateOf({ fate }: RunStep, { said }: Ended): Fate {
  return fate === 'goes_on' && !said.includes('The end of the run could not be stored') ? 'seems_alive' : fate
}

/** All runs are of this process: lets the next one see that the process of this one is gone, or take it for another one that lives. */
export async function showFate({ stage, stuck }: World): Promise<void> {
  if (stuck === null || stuck.fate === 'goes_on') return
  const change =
    stuck.fate === 'seen_dead'
      ? `holder = jsonb_set(holder, '{started}', '"0"')`
      : `started_at = started_at - interval '1 millisecond'`
  await stage.engine.ask(`update headcount.sync_runs set ${change} where status = 'running'`)
}
