/** The library's door. See the README for a first call; the types say the rest. */
export { backfill, sync } from './sync/run.ts'
export { verify } from './sync/verify.ts'
export { migrate } from './sync/migration.ts'
export { createService } from './service/create-service.ts'
export type { ServiceOptions } from './service/create-service.ts'
export type { Service } from './service/service.ts'
export type { DatabaseOptions } from './db/target.ts'
export type { Logger, Progress, RunOptions } from './sync/options.ts'
export type { Slowdown } from './source/slowdown.ts'
export type { VerifyOptions } from './sync/verify.ts'
export type { VerifyReport } from './sync/verify-report.ts'
export type { Difference } from './load/differences.ts'
export type {
  Plan,
  PlannedRow,
  PlannedUpdate,
  ReportedError,
  RowCounts,
  RunMode,
  RunReport,
  RunStatus,
  TableCounts,
  TablePlan,
} from './db/tables.ts'
export * from './errors.ts'
