import type { Observation } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { readObservationKeys } from '../../load/state/observations.ts'
import { alreadyInRows, observeRows, unfinishedRuns } from '../../load/state/observations-from-rows.ts'
import { EVENT_FIELD_SET, RESPONSE_FIELD_SET } from '../../normalise/items/fields.ts'
import { safeValue } from '../../normalise/observe/safe-value.ts'
import type { RunContext } from '../run-context.ts'
import { keyOf, mergeObservations } from './merge.ts'
import { driftWarnings, firstSeen } from './warnings.ts'

/** Answers that every run gets: they are noted the first time only, so that an unchanged run writes nothing. */
export const ORDINARY_STATUSES: ReadonlySet<string> = new Set(['200', '304'])

/** Stores what the run has observed, and what earlier runs stored and were killed before they reported; warns of what is new. */
export async function saveObservations(trx: Transaction, run: RunContext): Promise<void> {
  const { account, lease } = run.mirror
  const { observations } = run.pending
  const known = await readObservationKeys(trx, account.id)
  const unclosed = await unfinishedRuns(trx, account.id, lease.runId)
  const redacted = (observation: Observation): Observation => ({
    ...observation,
    // guard: key in an observation
    value: run.settings.redact(observation.value),
  })
  const statuses = statusesOf(run)
  const isOrdinary = ({ value }: Observation) => ORDINARY_STATUSES.has(value)
  const fresh = [
    ...observations.fromChanged.toObservations(),
    ...statuses.filter((status) => !isOrdinary(status)),
  ]
  const again = [...observations.fromUnchanged.toObservations(), ...statuses.filter(isOrdinary)]
  const seen = new Set([...fresh, ...again].map(keyOf))
  const left = (await observeRows(trx, account.id, unclosed)).map(quoted)
  const unreported = left.filter(
    (observation) =>
      /* guard: news of a run that died */ isOpen(observation) && !seen.has(keyOf(observation)),
  )
  const { rows, added } = mergeObservations(
    known,
    fresh.map(redacted),
    [...again, ...unreported].map(redacted),
  )
  const news = firstSeen(known, added)
  const old = new Set((await alreadyInRows(trx, account.id, [lease.runId, ...unclosed], news)).map(keyOf))
  for (const line of driftWarnings(
    news.filter((observation) => /* guard: news of rows that are old */ !old.has(keyOf(observation))),
  ))
    run.stats.warn(line)
  await run.mirror.load.saveObservations(trx, account.id, rows)
}

function quoted(observation: Observation): Observation {
  return { ...observation, value: safeValue(observation.value) }
}

/** A field that the specification names and that is kept in `_extra` was set aside. */
function isOpen({ path, kind, value }: Observation): boolean {
  if (kind !== 'unknown_field') return true
  return !(path === 'event' ? EVENT_FIELD_SET : RESPONSE_FIELD_SET).has(value)
}

function statusesOf({ source }: RunContext): Observation[] {
  return [...source.counts.statuses].map(([status, count]) => {
    const [path = '', value = ''] = status.split(' ')
    return { path, kind: 'status', value, count }
  })
}
