/** The library's door. See the README for a first call; the types say the rest. */
export { backfill, sync } from './sync/run.ts'
export { verify } from './sync/verify/verify.ts'
export { migrate } from './sync/migration.ts'
export { createService } from './server/create-service.ts'
export type { ServiceOptions } from './server/create-service.ts'
export type { Service } from './server/service.ts'
export type { DatabaseOptions } from './db/target.ts'
export type { Logger, Progress, RunOptions } from './sync/options.ts'
export type { Slowdown } from './source/throttle/slowdown.ts'
export type { VerifyOptions } from './sync/verify/verify.ts'
export type { VerifyReport } from './sync/verify/report.ts'
export type { Difference } from './load/diff/column-diff.ts'
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
} from './common/schema/tables.ts'
export * from './common/errors.ts'
