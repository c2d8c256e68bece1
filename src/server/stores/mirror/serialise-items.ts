import { hash } from 'node:crypto'

/**
 * Serialises items to JSON text in SQL, as the service sends them. The documents of history (`response_documents`) are
 * the same as jsonb, which is slower and larger. Tests compare both with the original items of random accounts.
 *
 * A set-aside field is NULL in its column and is in `_extra` under its name, so no name appears twice.
 */

const text = (name: string, value: string) => `coalesce(',"${name}":' || to_json(${value})::text, '')`
const instant = (name: string, value: string) =>
  `coalesce(',"${name}":' || rtrim(to_json(${value} at time zone 'UTC')::text, '"') || 'Z"', '')`
const number = (name: string, value: string) => `coalesce(',"${name}":' || ${value}::text, '')`
const amount = (name: string, value: string) => `coalesce(',"${name}":"' || ${value}::text || '"', '')`
/**
 * A time with its original offset, which follows from the wall clock. The function `headcount_internal.iso_offset` does the same
 * in ten times as long.
 */
const local = (name: string, value: string, wall: string) => {
  const offset = `(${wall} - ${value} at time zone 'UTC')`
  return `coalesce(',"${name}":' || rtrim(to_json(${wall})::text, '"') || case when ${offset} < '0' then '-' else '+' end
    || to_char(greatest(${offset}, -${offset}), 'HH24:MI') || '"', '')`
}
/** The other fields: the text between the braces, after a comma. */
const extra = (of: string) =>
  `case when ${of}._extra is null or ${of}._extra = '{}' then '' else ',' || substr(${of}._extra::text, 2, length(${of}._extra::text) - 2) end`

/** For a row `e` of events. */
export const eventText = `
  '{"id":' || to_json(e.id)::text
  || ${text('title', 'e.title')} || ${instant('event_at', 'e.event_at')} || ${text('description', 'e.description')}
  || ${text('event_type', 'e.event_type')} || ${text('location', 'e.location')} || ${extra('e')} || '}'`

const slotText = `'{' || substr(${text('name', 's.name')} || ${local('start_date', 's.start_date', 's.start_local')}
  || ${local('end_date', 's.end_date', 's.end_local')} || ${extra('s')}, 2) || '}'`

/** For a row `r` of responses. */
export const responseText = `
  '{"id":' || r.id::text
  || ${text('name', 'r.name')} || ${text('email', 'r.email')} || ${text('message', 'r.message')}
  || ${number('quantity', 'r.quantity')} || ${text('rsvp', 'r.rsvp')}
  || case when r.kind in ('payment', 'mixed') then coalesce((
       select ${amount('processing_fee', 'p.processing_fee')} || ${amount('amount', 'p.amount')}
         from headcount.payments p
        where p.account_id = r.account_id and p.event_id = r.event_id and p.response_id = r.id), '') else '' end
  || case when r.kind in ('signup', 'mixed') then coalesce((
       select ',"slots":[' || string_agg(${slotText}, ',' order by s.position) || ']'
         from headcount.slots s
        where s.account_id = r.account_id and s.event_id = r.event_id and s.response_id = r.id),
       case when r.kind = 'signup' and (r._extra is null or not r._extra ? 'slots') then ',"slots":[]' else '' end)
     else '' end
  || ${instant('created_at', 'r.created_at')} || ${instant('updated_at', 'r.updated_at')}
  || ${extra('r')} || '}'`

/** Identifies the serialisation: it changes with the texts above. */
export const ITEM_FORM = hash('sha256', eventText + responseText, 'base64url').slice(0, 12)
