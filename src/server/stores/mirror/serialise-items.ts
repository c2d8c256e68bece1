import { hash } from 'node:crypto'

/**
 * Items as the service sends them, as text, made in SQL. The documents of history (`response_documents`) say the same as
 * jsonb, which takes longer and more room; both are compared with what was sent, for random accounts.
 *
 * A field that was set aside is NULL in its column and stands in `_extra` under its name, so that no name is given twice.
 */

const text = (name: string, value: string) => `coalesce(',"${name}":' || to_json(${value})::text, '')`
const instant = (name: string, value: string) =>
  `coalesce(',"${name}":' || rtrim(to_json(${value} at time zone 'UTC')::text, '"') || 'Z"', '')`
const number = (name: string, value: string) => `coalesce(',"${name}":' || ${value}::text, '')`
const amount = (name: string, value: string) => `coalesce(',"${name}":"' || ${value}::text || '"', '')`
/**
 * With the offset that it came with, which follows from the wall clock. As `headcount.iso_offset` gives it, which takes ten
 * times as long: a function with a `from` is called for each value.
 */
const local = (name: string, value: string, wall: string) => {
  const offset = `(${wall} - ${value} at time zone 'UTC')`
  return `coalesce(',"${name}":' || rtrim(to_json(${wall})::text, '"') || case when ${offset} < '0' then '-' else '+' end
    || to_char(greatest(${offset}, -${offset}), 'HH24:MI') || '"', '')`
}
/** All that stands between the braces, after a comma. */
const extra = (of: string) =>
  `case when ${of}._extra is null or ${of}._extra = '{}' then '' else ',' || substr(${of}._extra::text, 2, length(${of}._extra::text) - 2) end`

/** Of a row `e` of events. */
export const eventText = `
  '{"id":' || to_json(e.id)::text
  || ${text('title', 'e.title')} || ${instant('event_at', 'e.event_at')} || ${text('description', 'e.description')}
  || ${text('event_type', 'e.event_type')} || ${text('location', 'e.location')} || ${extra('e')} || '}'`

const slotText = `'{' || substr(${text('name', 's.name')} || ${local('start_date', 's.start_date', 's.start_local')}
  || ${local('end_date', 's.end_date', 's.end_local')} || ${extra('s')}, 2) || '}'`

/** Of a row `r` of responses. */
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

/** Names the form in which items are written: it is another one with every change of the texts above. */
export const ITEM_FORM = hash('sha256', eventText + responseText, 'base64url').slice(0, 12)
