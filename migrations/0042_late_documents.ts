/**
 * The document of a response that came, and that no later version followed, is put together where it is asked for: whoever counts changes, or passes
 * over first readings, waited for the documents of all responses, two thirds of the time.
 */
import { changesQuery, responseChangesQuery } from './0020_changes.ts'
import { isFirstReading } from './0034_first_readings.ts'
import { compared } from './0041_restated_fields.ts'

export const late = {
  ...compared,
  came: {
    rows: `(
          select v.account_id, v.event_id, v.id as response_id, null::jsonb as document, v._changed_at, v._first_seen_at, v._run_id
            from headcount.responses v)`,
    document: `(select late.document
                  from headcount.response_documents late
                 where late.account_id = c.account_id and late.event_id = c.event_id and late.response_id = c.response_id)`,
  },
}

export const lateDocuments: readonly string[] = [
  `create or replace view headcount.response_changes as${responseChangesQuery(late)}`,
  `create or replace view headcount.changes as${changesQuery(isFirstReading, late)}`,
]
