import type { Accounts } from './account/accounts.ts'
import type { Measurement } from './round.ts'
import { engineOf, PEAK_ON_POSTGRES } from './scenarios.ts'
import type { Bound, Scenario } from './scenarios.ts'
import { measurementOf, median } from './summary.ts'
import type { Rounds } from './summary.ts'

/** One bound of one scenario beside what was measured. */
export interface Verdict {
  readonly scenario: string
  readonly figure: Bound['figure']
  /** What a time is compared with. */
  readonly against: string | null
  readonly least: number
  readonly median: number
  readonly largest: number
  readonly target: number
  /** By the median of a time, by the largest of anything else. */
  readonly isMet: boolean
}

/** Every bound of the scenarios, and at the end the one that all on Postgres have in common. */
export function judge(
  scenarios: readonly Scenario[],
  rounds: Rounds,
  accounts: Accounts,
): readonly Verdict[] {
  const each = scenarios.flatMap((scenario) =>
    scenario.bounds.map((bound) => judgeBound(scenario, bound, rounds, accounts)),
  )
  const onPostgres = scenarios.filter((scenario) => engineOf(scenario) === 'postgres')
  const peaks = onPostgres.map((scenario) => judgeBound(scenario, PEAK_ON_POSTGRES, rounds, accounts))
  const highest = peaks.toSorted((a, b) => b.largest - a.largest)[0]
  if (highest === undefined) return each
  return [...each, { ...highest, scenario: `all on Postgres (most: ${highest.scenario})` }]
}

function judgeBound(scenario: Scenario, bound: Bound, rounds: Rounds, accounts: Accounts): Verdict {
  const { name, floor } = scenario
  const isTime = bound.figure === 'time' || bound.figure === 'extra time'
  const floorOf = (round: readonly Measurement[]) =>
    typeof floor === 'string' ? measurementOf(round, floor).ms : floor.ms(accounts)
  const values = rounds.map((round) => figures[bound.figure](measurementOf(round, name), floorOf(round)))
  const [middle, largest] = [median(values), Math.max(...values)]
  return {
    scenario: name,
    figure: bound.figure,
    against: isTime ? (typeof floor === 'string' ? floor : floor.what) : null,
    least: Math.min(...values),
    median: middle,
    largest,
    target: bound.most,
    isMet: (isTime ? middle : largest) <= bound.most,
  }
}

/** Each figure of a measurement, beside the time of its floor. */
const figures: Readonly<Record<Bound['figure'], (measurement: Measurement, floorMs: number) => number>> = {
  time: ({ ms }, floorMs) => ms / floorMs,
  'extra time': ({ ms }, floorMs) => ms - floorMs,
  'peak memory': ({ peakBytes }) => peakBytes ?? Number.NaN,
  WAL: ({ writes }) => writes?.walBytes ?? Number.NaN,
  'rows written': ({ writes }) => (writes === null ? Number.NaN : writes.rows + writes.historyRows),
}
