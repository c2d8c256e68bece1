import { sql, type RawBuilder } from 'kysely'

/**
 * Whether a change tells of an item that had been deleted before, and came back.
 *
 * @param row its name in the statement: a row with the columns of the view `changes`
 */
export function returned(row: string): RawBuilder<boolean> {
  const { change, entity } = columnsOf(row)
  return sql`(${change} = 'insert' and case ${entity} when 'event' then ${eventWasDeleted(row)} else ${responseWasDeleted(row)} end)`
}

/** As `returned`, of a row of the view `response_changes`. */
export function responseReturned(row: string): RawBuilder<boolean> {
  return sql`(${columnsOf(row).change} = 'insert' and ${responseWasDeleted(row)})`
}

function eventWasDeleted(row: string): RawBuilder<boolean> {
  const { account_id, event_id, changed_at } = columnsOf(row)
  return sql`exists (
    select from headcount.event_history former
     where (former.account_id, former.event_id) = (${account_id}, ${event_id})
       and former.operation = 'delete' and former.valid_to <= ${changed_at})`
}

function responseWasDeleted(row: string): RawBuilder<boolean> {
  const { account_id, event_id, response_id, changed_at } = columnsOf(row)
  return sql`exists (
    select from headcount.response_history former
     where (former.account_id, former.event_id, former.response_id) = (${account_id}, ${event_id}, ${response_id})
       and former.operation = 'delete' and former.valid_to <= ${changed_at})`
}

function columnsOf(row: string) {
  const column = (name: string) => sql.ref(`${row}.${name}`)
  return {
    account_id: column('account_id'),
    entity: column('entity'),
    change: column('change'),
    event_id: column('event_id'),
    response_id: column('response_id'),
    changed_at: column('changed_at'),
  }
}
