import { sql, type RawBuilder } from 'kysely'

/**
 * Whether a change tells of an item that had been deleted before, and came back.
 *
 * @param row its name in the statement: a row with the columns of the view `changes`
 * @param moment the column before which it was deleted
 */
export function returned(row: string, moment = 'changed_at'): RawBuilder<boolean> {
  const its = sql.id(row)
  return sql`(${its}.change = 'insert' and case ${its}.entity when 'event' then exists (
      select from headcount.event_history former
       where (former.account_id, former.event_id) = (${its}.account_id, ${its}.event_id)
         and former.operation = 'delete' and former.valid_to <= ${sql.id(row, moment)})
    else ${responseReturned(row, moment)} end)`
}

/** As `returned`, of a row of the view `response_changes`. */
export function responseReturned(row: string, moment = 'changed_at'): RawBuilder<boolean> {
  const its = sql.id(row)
  return sql`(${its}.change = 'insert' and exists (
    select from headcount.response_history former
     where (former.account_id, former.event_id, former.response_id) = (${its}.account_id, ${its}.event_id, ${its}.response_id)
       and former.operation = 'delete' and former.valid_to <= ${sql.id(row, moment)}))`
}
