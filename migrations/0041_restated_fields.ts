/**
 * A row that is stored again because other fields are left out, are pseudonyms, or come back, stays the version that it was; its former version
 * keeps what was stored then. Told as a change of the response, every response that had ever changed seemed to have another name or address.
 */
import { changesQuery, responseChangesQuery, responses } from './0020_changes.ts'
import { isFirstReading } from './0034_first_readings.ts'

/** Of slots, which are one field, what the specification names is compared all the same. */
const restated = `case when headcount_internal.slots_without_personal(h.document->'slots')
                              is distinct from headcount_internal.slots_without_personal(next.document->'slots')
                         then array_remove(h.restated_fields, 'slots') else h.restated_fields end`

export const compared = {
  ...responses,
  former: `case when h.restated_fields is null then h.document
                    else (select (h.document - restated.fields)
                                 || (select coalesce(jsonb_object_agg(field.key, field.value), '{}')
                                       from jsonb_each(next.document) field
                                      where field.key = any (restated.fields))
                            from (select ${restated} as fields) restated) end`,
}

export const restatedFields: readonly string[] = [
  `alter table headcount.response_history add column restated_fields text[]`,
  `comment on column headcount.response_history.restated_fields is
    'Fields of the version that follows this one that were stored again in another form, as where fields are left out: they tell no change. NULL where there are none.'`,
  `create or replace view headcount.response_changes as${responseChangesQuery(compared)}`,
  `create or replace view headcount.changes as${changesQuery(isFirstReading, compared)}`,
]
