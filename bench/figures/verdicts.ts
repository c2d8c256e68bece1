import type { Accounts } from '../account/accounts.ts'
import type { Measurement, Round } from '../runner/round.ts'
import { engineOf, PEAK_ON_POSTGRES } from '../scenarios/scenarios.ts'
import type { Bound, Scenario } from '../scenarios/scenarios.ts'
import { measurementOf, median } from './summary.ts'

/** One bound of one scenario beside what was measured. */
export interface Verdict {
  readonly scenario: string
  readonly figure: Bound['figure']
  /** What a time or a pace is compared with. */
  readonly against: string | null
  /** Null when no round gave a figure. */
  readonly values: { readonly least: number; readonly median: number; readonly largest: number } | null
  readonly target: number
  /** Whether less or more than the target misses it. */
  readonly side: 'at most' | 'at least'
  /** By the median of a time or a pace, by the largest of anything else; failed when any round gave no figure. */
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
  { name, floor: usual }: Scenario,
  bound: Bound,
  rounds: readonly Round[],
  accounts: Accounts,
): Verdict {
  const { figure } = bound
  const floor = 'against' in bound ? bound.against : usual
  const isCompared = compared.has(figure)
  const found = rounds.flatMap((round) => {
    const [measurement, beside] = [measurementOf(round, name), floorIn(round, floor, accounts)]
    return measurement === undefined || beside === undefined ? [] : figures[figure](measurement, beside)
  })
  const values =
    found.length === 0
      ? null
      : { least: Math.min(...found), median: median(found), largest: Math.max(...found) }
  const counts = (isCompared ? values?.median : values?.largest) ?? Number.NaN
  const isMet = 'most' in bound ? counts <= bound.most : counts >= bound.least
  return {
    scenario: name,
    figure,
    against: isCompared ? (typeof floor === 'string' ? floor : (floor?.what ?? null)) : null,
    values,
    target: 'most' in bound ? bound.most : bound.least,
    side: 'most' in bound ? 'at most' : 'at least',
    verdict: found.length < rounds.length ? 'failed' : isMet ? 'met' : 'missed',
  }
}

/** Figures that are worth something only beside the floor's. */
const compared: ReadonlySet<Bound['figure']> = new Set(['time', 'extra time', 'requests/s'])

/** What a measurement is compared with: of a floor that is reckoned only the time is known. */
type Beside = Pick<Measurement, 'ms' | 'requests'>

/** Undefined when the floor failed. */
function floorIn(round: Round, floor: Scenario['floor'], accounts: Accounts): Beside | undefined {
  if (typeof floor === 'string') return measurementOf(round, floor)
  return { ms: floor?.ms(accounts) ?? Number.NaN, requests: Number.NaN }
}

/** Each figure of a measurement, beside its floor. */
const figures: Readonly<Record<Bound['figure'], (measurement: Measurement, floor: Beside) => number>> = {
  time: ({ ms }, floor) => ms / floor.ms,
  'extra time': ({ ms }, floor) => ms - floor.ms,
  'requests/s': ({ requests, ms }, floor) => requests / ms / (floor.requests / floor.ms),
  'first byte': ({ answered }) => answered?.firstByteMs ?? Number.NaN,
  'peak memory': ({ peakBytes }) => peakBytes ?? Number.NaN,
  WAL: ({ writes }) => writes?.walBytes ?? Number.NaN,
  'rows written': ({ writes }) => (writes === null ? Number.NaN : writes.rows + writes.historyRows),
}
