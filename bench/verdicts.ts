import type { Accounts } from './account/accounts.ts'
import type { Measurement, Round } from './round.ts'
import { engineOf, PEAK_ON_POSTGRES } from './scenarios.ts'
import type { Bound, Scenario } from './scenarios.ts'
import { measurementOf, median } from './summary.ts'

/** One bound of one scenario beside what was measured. */
export interface Verdict {
  readonly scenario: string
  readonly figure: Bound['figure']
  /** What a time is compared with. */
  readonly against: string | null
  /** Null when no round gave a figure. */
  readonly values: { readonly least: number; readonly median: number; readonly largest: number } | null
  readonly target: number
  /** By the median of a time, by the largest of anything else; failed when any round gave no figure. */
  readonly verdict: 'met' | 'missed' | 'failed'
}

/** Every bound of the scenarios, and at the end the one that all on Postgres have in common. */
export function judge(
  scenarios: readonly Scenario[],
  rounds: readonly Round[],
  accounts: Accounts,
): readonly Verdict[] {
  const each = scenarios.flatMap((scenario) =>
    scenario.bounds.map((bound) => judgeBound(scenario, bound, rounds, accounts)),
  )
  const onPostgres = scenarios.filter((scenario) => engineOf(scenario) === 'postgres')
  const peaks = onPostgres.map((scenario) => judgeBound(scenario, PEAK_ON_POSTGRES, rounds, accounts))
  const peakOf = ({ values }: Verdict) => values?.largest ?? 0
  const highest = peaks.toSorted((a, b) => peakOf(b) - peakOf(a))[0]
  if (highest === undefined) return each
  return [...each, { ...highest, scenario: `all on Postgres (most: ${highest.scenario})` }]
}

function judgeBound(
  { name, floor }: Scenario,
  { figure, most }: Bound,
  rounds: readonly Round[],
  accounts: Accounts,
): Verdict {
  const isTime = figure === 'time' || figure === 'extra time'
  const floorOf = (round: Round) =>
    typeof floor === 'string' ? measurementOf(round, floor)?.ms : floor.ms(accounts)
  const found = rounds.flatMap((round) => {
    const [measurement, floorMs] = [measurementOf(round, name), floorOf(round)]
    return measurement === undefined || floorMs === undefined ? [] : figures[figure](measurement, floorMs)
  })
  const values =
    found.length === 0
      ? null
      : { least: Math.min(...found), median: median(found), largest: Math.max(...found) }
  const isMet = values !== null && (isTime ? values.median : values.largest) <= most
  return {
    scenario: name,
    figure,
    against: isTime ? (typeof floor === 'string' ? floor : floor.what) : null,
    values,
    target: most,
    verdict: found.length < rounds.length ? 'failed' : isMet ? 'met' : 'missed',
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
