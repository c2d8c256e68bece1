import type { Accounts } from '../account/accounts.ts'
import { engineNames } from '../engines/engine.ts'
import type { EngineName } from '../engines/engine.ts'
import { AT_ONCE } from '../floors/fetching.ts'
import { CLIENTS } from '../load/serve.ts'
import { measuredOf, measurementNames } from './measurements.ts'
import type { MeasurementName } from './measurements.ts'
import { SLOW_MS } from '../service/response-modes.ts'

/** What a scenario is compared with: what was measured in the same round, or a time that follows from the account. */
export type Floor = MeasurementName | { readonly what: string; readonly ms: (accounts: Accounts) => number }

/** A bound that a scenario shall keep. */
export type Bound =
  /** Its time, in times of the floor's. */
  | { readonly figure: 'time'; readonly most: number }
  /** Its time beyond the floor's, in milliseconds. */
  | { readonly figure: 'extra time'; readonly most: number }
  /** Its answers in a second, in times of the floor's, or of another measurement's. */
  | { readonly figure: 'requests/s'; readonly least: number; readonly against?: MeasurementName }
  | { readonly figure: 'rows written' | 'WAL' | 'peak memory'; readonly most: number }
  /** Until the answer begins, in milliseconds. */
  | { readonly figure: 'first byte'; readonly most: number }

/** A scenario bears the name of what is measured for it. */
export interface Scenario {
  readonly name: MeasurementName
  readonly what: string
  /** Null: its bounds compare with nothing. */
  readonly floor: Floor | null
  /** What is measured beside it, to be looked at. */
  readonly beside?: readonly MeasurementName[]
  readonly bounds: readonly Bound[]
}

/** Of the process, in every scenario on Postgres. */
export const PEAK_ON_POSTGRES = { figure: 'peak memory', most: 220e6 } as const satisfies Bound

/**
 * What a server has that kept some lists in memory, and 1,000 connections of some 50 kB. A kilobyte left behind by each
 * request of 100,000 would be 100 MB more.
 */
const PEAK_OF_REFUSALS = { figure: 'peak memory', most: 250e6 } as const satisfies Bound

const time = (most: number): Bound => ({ figure: 'time', most })
const nothingWritten: readonly Bound[] = [
  { figure: 'rows written', most: 0 },
  { figure: 'WAL', most: 3e6 },
]
const waiting: Floor = {
  what: `events × ${SLOW_MS} ms / ${AT_ONCE}`,
  ms: ({ tenth }) => (tenth.events * SLOW_MS) / AT_ONCE,
}

export const scenarios: readonly Scenario[] = [
  { name: 'cold', what: 'into an empty mirror', floor: 'copy', bounds: [time(0.6)] },
  {
    name: 'unchanged',
    what: 'the same again, every list read, no ETag',
    floor: 'download',
    bounds: [time(1.5), ...nothingWritten],
  },
  {
    name: 'cold-suppressing',
    what: 'into an empty mirror with 10,000 people on the suppression list',
    floor: 'cold',
    bounds: [time(1.3)],
  },
  {
    name: 'unchanged-forgetting',
    what: 'the same as unchanged, with a retention period and nothing to forget',
    floor: 'unchanged',
    bounds: [time(1.1), ...nothingWritten],
  },
  {
    name: 'etag',
    what: 'the same again, every list answered 304',
    floor: 'not-modified',
    bounds: [time(1.3), ...nothingWritten],
  },
  {
    name: 'changed',
    what: 'one response edited in each hundredth event',
    floor: 'download',
    bounds: [time(1.8)],
  },
  {
    name: 'every-list',
    what: 'one response in a hundred edited in every list',
    floor: 'parse',
    bounds: [time(3)],
  },
  {
    name: 'verify',
    what: 'verify of a mirror that is as the service says',
    floor: 'every-list',
    bounds: [time(1.2)],
  },
  {
    name: 'edited',
    what: 'one response in ten edited, one in twenty deleted, history written',
    floor: 'cold',
    bounds: [time(1.2)],
  },
  {
    name: 'large-cold',
    what: 'as many responses in one list, into an empty mirror',
    floor: 'copy',
    bounds: [time(0.9), PEAK_ON_POSTGRES],
  },
  {
    name: 'large-changed',
    what: 'one list, one response in a hundred edited',
    floor: 'copy',
    bounds: [time(0.9), PEAK_ON_POSTGRES],
  },
  {
    name: 'pglite-cold',
    what: 'a tenth of the events, on PGlite',
    floor: 'pglite-copy',
    bounds: [time(0.8)],
  },
  {
    name: 'pglite-unchanged',
    what: 'the same again on PGlite, every list read',
    floor: 'pglite-download',
    bounds: [time(2.5), ...nothingWritten],
  },
  {
    name: 'latency',
    what: `a tenth of the events, unchanged, each answer after ${SLOW_MS} ms`,
    floor: waiting,
    bounds: [time(1.05)],
  },
  {
    name: 'latency-cold',
    what: `the same, into an empty mirror`,
    floor: waiting,
    bounds: [time(1.08)],
  },
  {
    name: 'start',
    what: 'the command sync with nothing due',
    floor: 'node',
    bounds: [{ figure: 'extra time', most: 200 }],
  },
  {
    name: 'view-events',
    what: 'the view event_summary, whole',
    floor: 'view-count',
    bounds: [time(6)],
  },
  {
    name: 'view-payments',
    what: 'the view payment_summary, whole',
    floor: 'view-count',
    bounds: [time(8)],
  },
  {
    name: 'view-slots',
    what: 'the view slot_summary, whole',
    floor: 'view-count',
    bounds: [time(8)],
  },
  {
    name: 'report',
    what: 'the page of an account, beside the views that it asks',
    floor: 'report-views',
    bounds: [time(3), PEAK_ON_POSTGRES],
  },
  {
    name: 'export',
    what: 'the live tables as CSV, beside COPY of the same on the server to nowhere',
    floor: 'export-copy',
    bounds: [time(2), PEAK_ON_POSTGRES],
  },
  {
    name: 'export-xlsx',
    what: 'the live tables as Excel workbooks',
    floor: null,
    bounds: [PEAK_ON_POSTGRES],
  },
  {
    name: 'export-parquet',
    what: 'the live tables as Parquet',
    floor: null,
    bounds: [PEAK_ON_POSTGRES],
  },
  {
    name: 'growth',
    what: 'sync, a tenth of the events due and one response edited in each, beside a mirror of a tenth',
    floor: 'growth-tenth',
    bounds: [time(1.1)],
  },
  {
    name: 'serve',
    what: `lists of a tenth of the events, asked for by ${CLIENTS} clients again and again`,
    floor: 'serve-constant',
    beside: ['serve-files', 'serve-first'],
    bounds: [{ figure: 'requests/s', least: 0.5 }],
  },
  {
    name: 'serve-unchanged',
    what: 'the same, every list answered 304',
    floor: 'serve',
    beside: ['serve-first'],
    bounds: [
      { figure: 'requests/s', least: 3 },
      { figure: 'requests/s', least: 3, against: 'serve-first' },
    ],
  },
  {
    name: 'serve-refused',
    what: 'a client an event with a wrong key, and as many requests as responses, while others have a right one',
    floor: null,
    bounds: [PEAK_OF_REFUSALS],
  },
  {
    name: 'serve-large',
    what: 'one list with all responses, sent while it is read',
    floor: null,
    bounds: [{ figure: 'first byte', most: 100 }, PEAK_ON_POSTGRES],
  },
]

export const scenarioNames = scenarios.map(({ name }) => name)

export function engineOf({ name }: Scenario): EngineName {
  return measuredOf(name).engine ?? engineNames[0] ?? 'postgres'
}

/** What is measured for some scenarios: they and their floors, in the order of a round. */
export function measurementsFor(chosen: readonly Scenario[]): readonly MeasurementName[] {
  const needed = new Set(
    chosen.flatMap(({ name, floor, beside = [] }) => [
      ...(typeof floor === 'string' ? [floor] : []),
      ...beside,
      name,
    ]),
  )
  return measurementNames.filter((name) => needed.has(name))
}
