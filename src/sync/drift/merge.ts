import type { Observation } from '../../common/schema/tables.ts'
import type { ObservationKey } from '../../load/state/observations.ts'
import { MAX_VALUES, OTHER_VALUES } from '../../normalise/observe/safe-value.ts'

/** What a run has seen beside what was known before it. */
export interface MergedObservations {
  /** What is to be added to the mirror's. */
  readonly rows: readonly Observation[]
  /** Those of them that were never seen before. */
  readonly added: readonly Observation[]
}

/**
 * Puts together what a run adds: all that it saw in lists that were new or had changed, and of what it read again
 * unchanged only what is not known yet. So `count` does not grow by reading the same once more.
 */
export function mergeObservations(
  known: readonly ObservationKey[],
  fresh: readonly Observation[],
  again: readonly Observation[],
): MergedObservations {
  const knownKeys = new Set(known.map(keyOf))
  const values = new Map<string, number>()
  for (const fact of known) values.set(groupOf(fact), (values.get(groupOf(fact)) ?? 0) + 1)
  const rows = new Map<string, Observation>()

  const put = (sent: Observation, isFresh: boolean): void => {
    const isNew = !knownKeys.has(keyOf(sent)) && !rows.has(keyOf(sent))
    const remaining = MAX_VALUES - (values.get(groupOf(sent)) ?? 0)
    const row =
      isNew && /* guard: bound on observed values */ remaining <= 0 ? { ...sent, value: OTHER_VALUES } : sent
    const key = keyOf(row)
    if (!isFresh && knownKeys.has(key)) return
    if (isNew && row === sent) values.set(groupOf(sent), (values.get(groupOf(sent)) ?? 0) + 1)
    rows.set(key, { ...row, count: row.count + (rows.get(key)?.count ?? 0) })
  }
  for (const observation of fresh) put(observation, true)
  for (const observation of again) put(observation, false)
  return {
    rows: [...rows.values()],
    added: [...rows].flatMap(([key, row]) => (knownKeys.has(key) ? [] : [row])),
  }
}

export function keyOf({ path, kind, value }: ObservationKey): string {
  return JSON.stringify([path, kind, value])
}

/** Values of one group are told apart up to a bound. */
function groupOf({ path, kind }: ObservationKey): string {
  return `${path} ${kind}`
}
