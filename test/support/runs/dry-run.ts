/** A dry run and the run that it foretells, on one stage. */
import { expect } from 'vitest'
import type { RunOptions, RunReport } from '../../../src/index.ts'
import type { Ended, Stage } from './stage.ts'

/**
 * Tells by a dry run how a run will end, lets it run, and compares: the whole report, the exit code and the failure.
 * `fault` is made before each of the two, for what a service does once.
 */
export async function foretell(
  on: Stage,
  mode: 'sync' | 'backfill' = 'sync',
  options: Partial<RunOptions> = {},
  fault: () => void = () => {},
): Promise<{ readonly dry: Ended; readonly real: Ended }> {
  fault()
  const dry = await on.run(mode, { ...options, dryRun: true })
  fault()
  const real = await on[mode](options)
  expect({ exit: dry.exit, code: dry.error?.code }).toEqual({ exit: real.exit, code: real.error?.code })
  expect(lasting(dry.report)).toEqual(lasting(real.report))
  if (dry.status !== null) expectPlan(dry.report)
  return { dry, real }
}

/** The report without what differs between any two runs. */
function lasting(report: RunReport): unknown {
  const {
    run_id: _,
    started_at: __,
    finished_at: ___,
    duration_ms: ____,
    dry_run: _____,
    plan: ______,
    ...rest
  } = report
  // What is first held in a run is held since its start.
  const holds = rest.holds?.map(({ since: _, ...hold }) => hold)
  return { ...rest, holds, warnings: rest.warnings?.toSorted() }
}

/** The plan counts what the report counts, and lists what it counts. */
function expectPlan({ rows, plan, run_id, dry_run }: RunReport): void {
  expect({ run_id, dry_run }).toEqual({ run_id: null, dry_run: true })
  for (const table of ['events', 'responses', 'payments', 'slots'] as const) {
    const planned = plan?.[table]
    const { inserted, updated, deleted, held } = planned?.counts ?? {}
    expect({ table, inserted, updated, deleted }).toEqual({ table, ...rows[table] })
    const listed = [planned?.inserted, planned?.updated, planned?.deleted, planned?.held]
    expect(listed.map((list) => list?.length)).toEqual([inserted, updated, deleted, held])
  }
}
