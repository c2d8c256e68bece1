import { toInterruptedError } from '../common/abort.ts'
import type { RunMode, RunReport } from '../common/schema/tables.ts'
import { prepareForQueries } from '../db/maintenance/deferred-indexes.ts'
import { observeRun, outcomeOfRun, type OnPace } from '../telemetry/runs.ts'
import { failRun, finishRun } from './finish-run.ts'
import { selectDueEvents } from './select/select-events.ts'
import { verifyAccountIdentity } from './open/account-identity.ts'
import { fetchIdentity, fetchEventList } from './fetch/fetch-events.ts'
import { readStates } from '../load/state/sync-state.ts'
import { openRun } from './open/open-run.ts'
import type { RunContext } from './run-context.ts'
import { logTo, observedOf, resolveOptions, type ResolvedOptions, type RunOptions } from './options.ts'
import { syncDueEvents } from './fetch/sync-events.ts'
import { rereadUnconfirmed } from './fetch/second-reading.ts'
import { forgetPersonalData } from './write/forget-personal-data.ts'
import { applyToHistory, applyToUnread } from './write/apply-field-rules.ts'
import { finishErasures } from './write/erase-persons.ts'
import { recordEarlyEnd, deleteAbsentEvents } from './write/delete-events.ts'

/**
 * Brings the mirror up to date: reads the events that are due and writes what changed.
 *
 * @returns the report, also when the run was partial or holds something back.
 * @throws HeadcountError for a fatal cause (refused key, service or database out of reach, broken contract,
 * account held by another run, wrong options, interruption); its `report` has what was done before.
 */
export function sync(options: RunOptions): Promise<RunReport> {
  return run('sync', options)
}

/**
 * Reads every event, whatever digests and validators say, and writes what differs.
 *
 * @returns, @throws as sync.
 */
export function backfill(options: RunOptions): Promise<RunReport> {
  return run('backfill', options)
}

async function run(mode: RunMode, options: RunOptions): Promise<RunReport> {
  const settings = resolveOptions(options)
  return observeRun({ mode, ...observedOf(settings) }, outcomeOfRun, (onPace) =>
    openAndExecute(mode, settings, onPace),
  )
}

async function openAndExecute(mode: RunMode, settings: ResolvedOptions, onPace: OnPace): Promise<RunReport> {
  const access = settings.dryRun === null ? 'write' : 'plan'
  await using open = await openRun(access, settings, mode).catch((cause: unknown) => {
    throw toInterruptedError(settings.signal, cause)
  })
  onPace(() => open.source.throttle)
  const report = await execute(open).catch(async (cause: unknown) => {
    throw await failRun(open, cause)
  })
  if (access === 'write') await leaveReady(open)
  return report
}

/** The run is closed by then: a failure here changes neither its status nor its report. */
async function leaveReady({ mode, mirror, settings, stats }: RunContext): Promise<void> {
  await prepareForQueries(mirror.database, {
    always: mode === 'backfill' && settings.events === null,
    signal: settings.signal,
    log: logTo(settings.logger),
    onIndex: () => stats.report('indexing'),
  })
}

/** The steps of a run. */
async function execute(run: RunContext): Promise<RunReport> {
  await finishErasures(run)
  const { identity, list } =
    run.initial.firstResponses ??
    (await loadSyncStateWhile(run, async (recalled) => ({
      identity: await fetchIdentity(run),
      list: await fetchEventList(run, recalled),
    })))
  await verifyAccountIdentity(run, identity, list.ids)
  const due = await selectDueEvents(run, list)
  const { notFound, endedEarly } = await syncDueEvents(run, due)
  if (endedEarly) recordEarlyEnd(run, endedEarly, notFound)
  else {
    await deleteAbsentEvents(run, list, notFound, await rereadUnconfirmed(run))
    await applyToUnread(run)
  }
  await forgetPersonalData(run)
  await applyToHistory(run)
  return finishRun(run)
}

/**
 * Loads what is known of each list, and what was observed, while `fetch` waits for the first two HTTP responses: the
 * database needs about as long. `fetch` gets the promise that `run.initial.states` is there. The database is idle when this ends.
 */
async function loadSyncStateWhile<Result>(
  run: RunContext,
  fetch: (loaded: Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { database, account } = run.mirror
  const loaded = readStates(database.kysely, account.id).then((states) => {
    run.initial.states = states
  })
  // Who needs them awaits the states, and asks again for the observations. A failure must not count as an unhandled rejection.
  const allLoaded = loaded.then(() => run.pending.observations.load(database)).catch(() => {})
  try {
    return await fetch(loaded)
  } finally {
    await allLoaded
  }
}
