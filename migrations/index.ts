import { mirror } from './0001_mirror.ts'
import { bookkeeping } from './0002_bookkeeping.ts'
import { history } from './0003_history.ts'
import { setAside } from './0004_set_aside.ts'
import { responseDocuments } from './0005_response_documents.ts'
import { leanStates } from './0006_lean_states.ts'
import { listVersions } from './0007_list_versions.ts'
import { unconfirmedAbsences } from './0009_unconfirmed_absences.ts'
import { accountKeys } from './0010_account_keys.ts'
import { goodRuns } from './0011_good_runs.ts'
import { accounts } from './0012_accounts.ts'
import { names } from './0013_names.ts'
import { observedByRuns } from './0014_observed_by_runs.ts'
import { lateIndexes } from './0015_late_indexes.ts'
import { internalFunctions } from './0016_internal_functions.ts'
import { emailKey } from './0017_email_key.ts'
import { runsOfChanges } from './0018_runs_of_changes.ts'
import { ownerTables } from './0019_owner_tables.ts'
import { views } from './0020_views.ts'
import { withoutPersonal } from './0021_without_personal.ts'
import { retention } from './0022_retention.ts'
import { erasure } from './0023_erasure.ts'
import { fieldRules } from './0024_field_rules.ts'
import { links } from './0025_links.ts'
import { moved } from './0026_moved.ts'
import { deliveries } from './0027_deliveries.ts'
import { notices } from './0028_notices.ts'
import { quickerViews } from './0029_quicker_views.ts'
import { reportLinks } from './0030_report_links.ts'
import { eventList } from './0031_event_list.ts'
import { fittingValues } from './0032_fitting_values.ts'
import { fixedNames } from './0033_fixed_names.ts'
import { firstReadings } from './0034_first_readings.ts'
import { roomForUpdates } from './0035_room_for_updates.ts'
import { infiniteMoments } from './0036_infinite_moments.ts'
import { quickerEventViews } from './0037_quicker_event_views.ts'
import { pendingMirror } from './0038_pending_mirror.ts'
import { runsOfVersions } from './0039_runs_of_versions.ts'
import { timeZoneOfReaders } from './0040_time_zone_of_readers.ts'
import { restatedFields } from './0041_restated_fields.ts'
import { lateDocuments } from './0042_late_documents.ts'
import { changesRowByRow } from './0043_changes_row_by_row.ts'
import { respondentsInOnePass } from './0044_respondents.ts'
import { settingsOfSessions } from './0045_settings_of_sessions.ts'
import { replicaIdentity } from './0046_replica_identity.ts'

/** One step of the schema. Statements run one by one, all of a migration in one transaction. */
export interface Migration {
  readonly number: number
  readonly name: string
  readonly statements: readonly string[]
}

/** Every migration in order. Forward only: a landed migration is never edited, a change is a new number. */
export const migrations: readonly Migration[] = [
  { number: 1, name: 'mirror', statements: mirror },
  { number: 2, name: 'bookkeeping', statements: bookkeeping },
  { number: 3, name: 'history', statements: history },
  { number: 4, name: 'set_aside', statements: setAside },
  { number: 5, name: 'response_documents', statements: responseDocuments },
  { number: 6, name: 'lean_states', statements: leanStates },
  { number: 7, name: 'list_versions', statements: listVersions },
  { number: 9, name: 'unconfirmed_absences', statements: unconfirmedAbsences },
  { number: 10, name: 'account_keys', statements: accountKeys },
  { number: 11, name: 'good_runs', statements: goodRuns },
  { number: 12, name: 'accounts', statements: accounts },
  { number: 13, name: 'names', statements: names },
  { number: 14, name: 'observed_by_runs', statements: observedByRuns },
  { number: 15, name: 'late_indexes', statements: lateIndexes },
  { number: 16, name: 'internal_functions', statements: internalFunctions },
  { number: 17, name: 'email_key', statements: emailKey },
  { number: 18, name: 'runs_of_changes', statements: runsOfChanges },
  { number: 19, name: 'owner_tables', statements: ownerTables },
  { number: 20, name: 'views', statements: views },
  { number: 21, name: 'without_personal', statements: withoutPersonal },
  { number: 22, name: 'retention', statements: retention },
  { number: 23, name: 'erasure', statements: erasure },
  { number: 24, name: 'field_rules', statements: fieldRules },
  { number: 25, name: 'links', statements: links },
  { number: 26, name: 'moved', statements: moved },
  { number: 27, name: 'deliveries', statements: deliveries },
  { number: 28, name: 'notices', statements: notices },
  { number: 29, name: 'quicker_views', statements: quickerViews },
  { number: 30, name: 'report_links', statements: reportLinks },
  { number: 31, name: 'event_list', statements: eventList },
  { number: 32, name: 'fitting_values', statements: fittingValues },
  { number: 33, name: 'fixed_names', statements: fixedNames },
  { number: 34, name: 'first_readings', statements: firstReadings },
  { number: 35, name: 'room_for_updates', statements: roomForUpdates },
  { number: 36, name: 'infinite_moments', statements: infiniteMoments },
  { number: 37, name: 'quicker_event_views', statements: quickerEventViews },
  { number: 38, name: 'pending_mirror', statements: pendingMirror },
  { number: 39, name: 'runs_of_versions', statements: runsOfVersions },
  { number: 40, name: 'time_zone_of_readers', statements: timeZoneOfReaders },
  { number: 41, name: 'restated_fields', statements: restatedFields },
  { number: 42, name: 'late_documents', statements: lateDocuments },
  { number: 43, name: 'changes_row_by_row', statements: changesRowByRow },
  { number: 44, name: 'respondents_in_one_pass', statements: respondentsInOnePass },
  { number: 45, name: 'settings_of_sessions', statements: settingsOfSessions },
  { number: 46, name: 'replica_identity', statements: replicaIdentity },
]
