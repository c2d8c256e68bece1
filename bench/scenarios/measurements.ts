import type { AccountName } from '../account/accounts.ts'
import type { Version } from '../account/versions.ts'
import type { EngineName } from '../engines/engine.ts'
import type { FloorName } from '../floors/main.ts'
import type { Serving } from '../load/serve.ts'
import type { Way } from '../service/response-modes.ts'

/** What is done while the clock runs: a floor, a run of ours, or a server that answers. */
export type Work =
  | FloorName
  | Serving
  /** `sync --all`: every list is read. */
  | 'syncAll'
  /** The same, with a retention period that no event is older than. */
  | 'syncForgetting'
  /** The same as `syncAll`, with 10,000 people on the suppression list of whom no response is. */
  | 'syncSuppressing'
  /** `export` of the live tables, in this format. */
  | 'exportCsv'
  | 'exportXlsx'
  | 'exportParquet'
  /** `report` of the account, to a file. */
  | 'report'
  /** `verify`: every list is read and compared. */
  | 'verify'
  /** `sync`: what is due is read. */
  | 'sync'
  /** `node -e 0`, and two round trips to the service. */
  | 'node'

/** One thing that is measured, in a process of its own. */
export interface Measured {
  readonly work: Work
  readonly account: AccountName
  /** What the service answers. */
  readonly shows: Version
  readonly way: Way
  /** Null: no database. */
  readonly engine: EngineName | null
  /** What the mirror holds before: nothing, or the account as it was. */
  readonly mirror: 'empty' | 'loaded' | null
  /** The time is that of the whole process, or without its start: from its first connection on; of a server, that in which it is asked. */
  readonly clock: 'process' | 'work' | 'load'
  /** So often, one after the other; the one of median time counts. */
  readonly times: number
}

const run = { clock: 'process', times: 1, way: 'plain', shows: 'original', account: 'whole' } as const
const read = { ...run, engine: null, mirror: null } as const
const cold = { ...run, work: 'syncAll', engine: 'postgres', mirror: 'empty' } as const
const again = { ...cold, mirror: 'loaded' } as const
const serve = { ...again, account: 'tenth', clock: 'load' } as const
const serveFloor = { ...read, account: 'tenth', clock: 'load' } as const
const copy = { ...cold, work: 'copy' } as const
const view = { ...again, times: 3 } as const

/** Everything that is measured, in the order in which a round does it: a floor right before what is compared with it. */
export const measurements = {
  copy,
  cold,
  'cold-suppressing': { ...cold, work: 'syncSuppressing' },
  edited: { ...again, shows: 'edited' },
  'large-cold': { ...cold, account: 'single' },
  'large-changed': { ...again, account: 'single', shows: 'every' },
  download: { ...read, work: 'download' },
  unchanged: again,
  'unchanged-forgetting': { ...again, work: 'syncForgetting' },
  changed: { ...again, shows: 'changed' },
  parse: { ...read, work: 'parse', shows: 'every' },
  'every-list': { ...again, shows: 'every' },
  verify: { ...again, work: 'verify' },
  'not-modified': { ...read, work: 'notModified', way: 'etag' },
  etag: { ...again, way: 'etag' },
  'growth-tenth': { ...again, work: 'sync', account: 'tenth', shows: 'active' },
  growth: { ...again, work: 'sync', shows: 'active' },
  'latency-cold': { ...cold, account: 'tenth', way: 'slow', clock: 'work' },
  latency: { ...again, account: 'tenth', way: 'slow', clock: 'work' },
  'view-count': { ...view, work: 'viewCount' },
  'view-events': { ...view, work: 'eventSummary' },
  'view-payments': { ...view, work: 'paymentSummary' },
  'view-slots': { ...view, work: 'slotSummary' },
  'report-views': { ...again, work: 'reportViews' },
  report: { ...again, work: 'report' },
  'export-copy': { ...again, work: 'copyOut' },
  export: { ...again, work: 'exportCsv' },
  'export-xlsx': { ...again, work: 'exportXlsx' },
  'export-parquet': { ...again, work: 'exportParquet' },
  node: { ...read, work: 'node', account: 'small', times: 3 },
  start: { ...again, work: 'sync', account: 'small', times: 3 },
  'serve-files': { ...serveFloor, work: 'serveFiles' },
  'serve-constant': { ...serveFloor, work: 'serveConstant' },
  'serve-first': { ...serve, work: 'serveFirst' },
  serve: { ...serve, work: 'serveAgain' },
  'serve-unchanged': { ...serve, work: 'serveUnchanged' },
  'serve-refused': { ...serve, work: 'serveRefused' },
  'serve-large': { ...serve, work: 'serveLarge', account: 'single' },
  'pglite-copy': { ...copy, account: 'tenth', engine: 'pglite' },
  'pglite-cold': { ...cold, account: 'tenth', engine: 'pglite' },
  'pglite-download': { ...read, work: 'download', account: 'tenth' },
  'pglite-unchanged': { ...again, account: 'tenth', engine: 'pglite' },
} satisfies Record<string, Measured>

export type MeasurementName = keyof typeof measurements
export const measurementNames = Object.keys(measurements) as MeasurementName[]

/** A measurement by its name. */
export function measuredOf(name: MeasurementName): Measured {
  return measurements[name]
}
