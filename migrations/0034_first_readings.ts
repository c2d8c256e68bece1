/**
 * An event that the first run listed and could not read is stored by a later run. It was there before the mirror all the same: like its
 * responses it is a first reading, and was told as news.
 */
import { changesQuery, eventChangesQuery, eventTransitions, sameState } from './0020_changes.ts'
import { fittingEventTransitions } from './0032_fitting_values.ts'

export const isFirstReading = `coalesce(
             case when c.change <> 'insert' then false
                  when c.run_id is null then c.changed_at <= first_run.finished_at
                  else c.run_id <= a.first_listed_run_id
                       or c.run_id = s.first_applied_run_id and s.first_listed_run_id <= a.first_listed_run_id end, false)`

const initial = { condition: isFirstReading, joins: `\n      ${sameState}` }

export const firstReadings: readonly string[] = [
  `create or replace view headcount.event_changes as${eventChangesQuery(eventTransitions, initial)}`,
  `create or replace view headcount.event_changes_without_personal as${eventChangesQuery(fittingEventTransitions, initial)}`,
  `create or replace view headcount.changes as${changesQuery(isFirstReading)}`,
]
