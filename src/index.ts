/** The library's door. See the README for a first call; the types say the rest. */
export { backfill, sync } from './sync/run.ts'
export { migrate } from './sync/migration.ts'
export type { Logger, Progress, RunOptions } from './sync/options.ts'
export type { ReportedError, RowCounts, RunMode, RunReport, RunStatus, TableCounts } from './db/tables.ts'
export * from './errors.ts'
