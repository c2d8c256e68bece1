/** Where the library begins. docs/library.md shows each call; the types say the rest. */
export { backfill, sync } from './sync/run.ts'
export { verify } from './sync/verify/verify.ts'
export { migrate } from './sync/migrate-mirror.ts'
export { createRunPool } from './orchestration/run-pool/create-run-pool.ts'
export type {
  PooledRunOptions,
  TurnOptions,
  PooledVerifyOptions,
  RunPool,
  RunPoolOptions,
} from './orchestration/run-pool/create-run-pool.ts'
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
export { changes, digest, event, events, thinSlots, who } from './mirror/library-api/answers.ts'
export type {
  ChangesOptions,
  DigestOptions,
  EventOptions,
  EventsOptions,
  WhoOptions,
} from './mirror/library-api/answers.ts'
export type {
  AccountDigest,
  AnnouncedEvent,
  ChangedEvent,
  ChangedField,
  ChangedPart,
  ChangedParts,
  ChangedResponse,
  Digest,
  DigestEvent,
  DigestMirror,
  DigestMoney,
  DigestPart,
  DigestResponse,
  MoneyChange,
  NewResponse,
  RemovedEvent,
} from './mirror/answers/digest/digest.ts'
export type { DigestPeriod } from './mirror/answers/digest/period.ts'
export { sendDigest } from './outputs/notify/library-api.ts'
export type { SendDigestOptions } from './outputs/notify/library-api.ts'
export type { Delivery } from './outputs/notify/deliver.ts'
export type { DeliveryStatus } from './mirror/status/delivery-status.ts'
export {
  erasePerson,
  eraseSuppressed,
  exportSuppressions,
  person,
  planErasure,
  restorePerson,
} from './mirror/library-api/persons.ts'
export type {
  ErasePersonOptions,
  ErasureChoices,
  ErasureReceipt,
  EraseSuppressedOptions,
  PersonOptions,
  RestorePersonOptions,
} from './mirror/library-api/persons.ts'
export type { ErasurePlan, PlannedErasure } from './mirror/persons/plan-erasure.ts'
export type { Mention } from './mirror/persons/mentions.ts'
export type { Vacuumed } from './mirror/persons/vacuum.ts'
export type { RestoreReport } from './mirror/persons/restore.ts'
export type { ImportedSuppression, SuppressionFile } from './mirror/persons/suppression-file.ts'
export type { Changes, ListedChange } from './mirror/answers/changes.ts'
export type { ComparedEvent, EventDetails, ResponseChange } from './mirror/answers/event.ts'
export type { EventSelection, ListedEvent } from './mirror/answers/events.ts'
export type { HeldResponse, HeldVersion, PersonRecord, PersonResponse } from './mirror/persons/show.ts'
export type { FoundPerson, FoundPersons } from './mirror/answers/who.ts'
export { addReader, listReaders, removeReader } from './mirror/library-api/readers.ts'
export type { AddReaderOptions, RemoveReaderOptions } from './mirror/library-api/readers.ts'
export type { ListedReader, ReaderPlan } from './mirror/readers/readers.ts'
export type { StoredReader } from './db/readers/readable.ts'
export { exportViews } from './outputs/export/library-api.ts'
export type { ExportOptions } from './outputs/export/library-api.ts'
export { report } from './outputs/report/library-api.ts'
export type { Report, ReportOptions } from './outputs/report/library-api.ts'
export type {
  AccountReport,
  ComparedPace,
  CountedRows,
  EventReport,
  EventSums,
  MoneySums,
  PaceDay,
  PaceLine,
  ReportDocument,
  ReportedEvents,
  ReportedMoney,
  ReportedRun,
  ReportHead,
  ReportMirror,
  ReportQuality,
  WeekChanges,
} from './mirror/answers/report/document.ts'
export { createLink, listLinks, revokeLink } from './outputs/export/library-links.ts'
export type { CreatedLink, CreateLinkOptions, RevokeLinkOptions } from './outputs/export/library-links.ts'
export type { LinkContent, ListedLink } from './mirror/keys/links.ts'
export type { ExportProgress, ExportSelection } from './outputs/export/export-views.ts'
export type { ExportFormat } from './outputs/export/formats/format.ts'
export type { ExportedAccount, ExportedFile, ExportManifest } from './outputs/export/manifest.ts'
export { migrateQueue, purgeJobs, queueJobs, retryJobs } from './orchestration/queue/library-api.ts'
export type { DeadLetterOptions, QueueJobsOptions } from './orchestration/queue/library-api.ts'
export type { JobState, ListedJob, QueueState } from './orchestration/queue/jobs/list-jobs.ts'
export { backupMirror, moveMirror, restoreMirror } from './outputs/transfer/library-api.ts'
export type {
  BackupOptions,
  MoveOptions,
  RestoreOptions,
  TransferWatch,
} from './outputs/transfer/library-api.ts'
export type { BackupReport } from './outputs/transfer/backup.ts'
export type { BackedUpTable } from './outputs/transfer/file/manifest.ts'
export type { KnownErasures, RestoredMirror } from './outputs/transfer/restore.ts'
export type { MoveReport } from './outputs/transfer/move.ts'
export type { TransferProgress } from './outputs/transfer/mirror-contents.ts'
export type { TableCheck } from './outputs/transfer/database/table-checks.ts'
export { VIEWS } from './common/schema/view-columns.ts'
export type { ViewName, ViewRow, ViewValue, ViewValueTypes } from './common/schema/view-columns.ts'
export type { DecimalText, ValueTypes } from './common/schema/items.ts'
export type { JsonObject, JsonValue, RawNumber } from './common/json/exact.ts'
export {
  eventStatus,
  observations,
  query,
  rejects,
  runs,
  status,
  tables,
} from './mirror/library-api/inspect.ts'
export type {
  EventStatusOptions,
  ListOptions,
  QueryAnswer,
  QueryOptions,
  RunsOptions,
  StatusOptions,
} from './mirror/library-api/inspect.ts'
export {
  listRsvpMeanings,
  listSlotTargets,
  removeRsvpMeaning,
  removeSlotTarget,
  setAccount,
  setRsvpMeaning,
  setSlotTarget,
} from './mirror/library-api/owner-tables.ts'
export type {
  RemoveRsvpMeaningOptions,
  RemoveSlotTargetOptions,
  SetAccountOptions,
  SetRsvpMeaningOptions,
  SetSlotTargetOptions,
} from './mirror/library-api/owner-tables.ts'
export type { AccountFilter, MirrorOptions } from './mirror/library-api/with-mirror.ts'
export type { AccountStatus } from './mirror/status/account-status.ts'
export type { LiveRows, RunSummary } from './mirror/status/account-facts.ts'
export type { AccountSummary } from './mirror/accounts/list.ts'
export type { SetTimeZone } from './mirror/accounts/set-time-zone.ts'
export type { ListedReject } from './mirror/calls/rejects.ts'
export type { ListedRun } from './mirror/calls/runs.ts'
export type { QueryRows } from './mirror/calls/call.ts'
export type {
  ColumnDescription,
  FunctionDescription,
  SchemaDescription,
  TableDescription,
} from './mirror/query/describe-schema.ts'
export type { DeletedEvent, EventStatus, EventStatuses } from './mirror/status/event-status.ts'
export type { CreatedKey, KeyState, ListedKey, RevokedKey } from './mirror/keys/keys.ts'
export type { Finding } from './mirror/observations/findings.ts'
export type { AccountObservations, ObservedPoint } from './mirror/observations/open-questions.ts'
export type {
  FailingList,
  HeldDeletions,
  HeldEventDeletion,
  UnconfirmedAbsences,
} from './mirror/status/list-status.ts'
export type { ListedRsvpMeaning, RsvpMeanings, SetRsvpMeaning } from './mirror/owner-tables/rsvp-meanings.ts'
export type { RsvpValue } from './mirror/owner-tables/rsvp-values.ts'
export type {
  ListedSlotTarget,
  SetSlotTarget,
  SlotScope,
  SlotTarget,
} from './mirror/owner-tables/slot-targets.ts'
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
export type { CreateAccount } from './sync/open/find-account.ts'
export type { Slowdown } from './source/throttle/slowdown.ts'
export type { VerifyOptions } from './sync/verify/verify.ts'
export type { VerifyReport } from './sync/verify/report.ts'
export type { Difference } from './load/diff/column-diff.ts'
export type {
  ErasedCounts,
  ErasureReport,
  HoldReason,
  IntegerText,
  LeaseMode,
  LinkFormat,
  MirrorState,
  MirrorTable,
  ObservationKind,
  Plan,
  PlannedRow,
  PlannedUpdate,
  ReportedError,
  ReportedHold,
  RowCounts,
  RsvpMeaning,
  RunMode,
  RunReport,
  RunStatus,
  TableCounts,
  TablePlan,
  Timestamp,
} from './common/schema/tables.ts'
export * from './common/errors.ts'
