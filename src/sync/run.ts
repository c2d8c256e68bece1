import type { RunMode, RunReport } from '../common/schema/tables.ts'
import { closeFailed, closeRun } from './finish-run.ts'
import { chooseDue } from './select/select-events.ts'
import { confirmIdentity } from './open/account-identity.ts'
import { asInterruption } from './interruption.ts'
import { askIdentity, listEvents } from './fetch/fetch-events.ts'
import { recallMeanwhile } from './select/load-sync-state.ts'
import { openRun } from './open/open-run.ts'
import type { RunContext } from './run-context.ts'
import { settle } from './options.ts'
import type { RunOptions } from './options.ts'
import { mirrorDue } from './fetch/sync-events.ts'
import { readUnconfirmedAgain } from './fetch/second-reading.ts'
import { endEarly, removeVanished } from './write/delete-events.ts'

/**
 * Brings the mirror up to date: reads the events that are due and writes what changed.
 *
 * @returns the report, also when the run was partial or holds something back.
 * @throws HeadcountError for a fatal cause (refused key, service or database out of reach, broken contract,
 * account held by another run, wrong options, interruption); its `report` tells what was done before.
 */
export function sync(options: RunOptions): Promise<RunReport> {
  return run('sync', options)
}

/**
 * Reads every event without trusting what is known of it, and writes what differs.
 *
 * @returns, @throws as sync.
 */
export function backfill(options: RunOptions): Promise<RunReport> {
  return run('backfill', options)
}

async function run(mode: RunMode, options: RunOptions): Promise<RunReport> {
  const settings = settle(options)
  const access = settings.dryRun === null ? 'write' : 'plan'
  await using open = await openRun(access, settings, mode).catch((cause: unknown) => {
    throw asInterruption(settings.signal, cause)
  })
  try {
    return await mirror(open)
  } catch (cause) {
    throw await closeFailed(open, cause)
  }
}

/** The story of a run. */
async function mirror(run: RunContext): Promise<RunReport> {
  const { identity, list } =
    run.initial.answers ??
    (await recallMeanwhile(run, async (recalled) => ({
      identity: await askIdentity(run),
      list: await listEvents(run, recalled),
    })))
  await confirmIdentity(run, identity, list.ids)
  const due = await chooseDue(run, list)
  const { notFound, endedEarly } = await mirrorDue(run, due)
  if (endedEarly) endEarly(run, endedEarly, notFound)
  else await removeVanished(run, list, notFound, await readUnconfirmedAgain(run))
  return closeRun(run)
}
