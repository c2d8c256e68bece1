/** Where the library begins. docs/library.md shows each call; the types say the rest. */
export { backfill, sync } from './sync/run.ts'
export { verify } from './sync/verify/verify.ts'
export { migrate } from './sync/migrate-mirror.ts'
export { createService } from './server/create-service.ts'
export {
  acceptRejects,
  createKey,
  listAccounts,
  listKeys,
  prune,
  removeAccount,
  renameAccount,
  revokeKey,
} from './mirror/library-api/change.ts'
export type {
  AcceptRejectsOptions,
  CreateKeyOptions,
  PruneOptions,
  PruneReport,
  RemoveAccountOptions,
  RenameAccountOptions,
  RevokeKeyOptions,
} from './mirror/library-api/change.ts'
export { eventStatus, observations, query, rejects, runs, status } from './mirror/library-api/inspect.ts'
export type {
  EventStatusOptions,
  ListOptions,
  QueryAnswer,
  QueryOptions,
  RunsOptions,
  StatusOptions,
} from './mirror/library-api/inspect.ts'
export type { AccountFilter, MirrorOptions } from './mirror/library-api/with-mirror.ts'
export type { AccountStatus, RunSummary } from './mirror/account-status.ts'
export type { AccountSummary } from './mirror/accounts/list.ts'
export type { CreatedKey } from './mirror/calls/keys.ts'
export type { ListedReject } from './mirror/calls/rejects.ts'
export type { ListedRun } from './mirror/calls/runs.ts'
export type { QueryRows } from './mirror/calls/call.ts'
export type { DeletedEvent, EventStatus, EventStatuses } from './mirror/event-status.ts'
export type { KeyState, ListedKey, RevokedKey } from './mirror/keys/keys.ts'
export type { Finding } from './mirror/observations/findings.ts'
export type { AccountObservations, ObservedPoint } from './mirror/observations/open-questions.ts'
export type {
  FailingList,
  HeldDeletions,
  HeldEventDeletion,
  UnconfirmedAbsences,
} from './mirror/list-status.ts'
export type { HistoryTable, PrunableVersions } from './mirror/prune.ts'
export type { AcceptedReject } from './load/state/accepted-rejects.ts'
export type { ServiceOptions } from './server/create-service.ts'
export type { AccessLogEntry } from './server/http/access-log.ts'
export type { Service } from './server/http-service.ts'
export type {
  PGliteLike,
  QueryRunner as PGliteQueryRunner,
  Results as PGliteResults,
  SendOptions as PGliteSendOptions,
  TypeParsers as PGliteTypeParsers,
} from './db/pglite/types.ts'
export type { DatabaseOptions } from './db/target.ts'
export type { Column as QueryColumn } from './db/transaction.ts'
export type { DueReason } from './sync/select/polling-schedule.ts'
export type { Logger, Progress, RunOptions } from './sync/options.ts'
export type { Slowdown } from './source/throttle/slowdown.ts'
export type { VerifyOptions } from './sync/verify/verify.ts'
export type { VerifyReport } from './sync/verify/report.ts'
export type { Difference } from './load/diff/column-diff.ts'
export type {
  HoldReason,
  IntegerText,
  LeaseMode,
  MirrorTable,
  ObservationKind,
  Plan,
  PlannedRow,
  PlannedUpdate,
  ReportedError,
  ReportedHold,
  RowCounts,
  RunMode,
  RunReport,
  RunStatus,
  TableCounts,
  TablePlan,
  Timestamp,
} from './common/schema/tables.ts'
export * from './common/errors.ts'
