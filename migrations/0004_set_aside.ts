/** Which fields are set aside now, in one place: they stand in `_extra` of three tables. */
export const setAside: readonly string[] = [
  `create view headcount.set_aside as
    select e.account_id, e.id as event_id, null::bigint as response_id, null::int as position, key.field,
           e._extra->key.field as value
      from headcount.events e
     cross join unnest('{title,event_at,description,event_type,location}'::text[]) key (field)
     where e._extra ? key.field
    union all
    select r.account_id, r.event_id, r.id, null, key.field, r._extra->key.field
      from headcount.responses r
     cross join unnest('{name,email,message,quantity,rsvp,created_at,updated_at,amount,processing_fee,slots}'::text[])
                key (field)
     where r._extra ? key.field
    union all
    select s.account_id, s.event_id, s.response_id, s.position, key.field, s._extra->key.field
      from headcount.slots s
     cross join unnest('{name,start_date,end_date}'::text[]) key (field)
     where s._extra ? key.field`,
  `comment on view headcount.set_aside is
    'Fields whose value does not fit their column, as the service sends them now. Characters that were replaced by U+FFFD are counted as set aside too, but stand in their column.'`,
  `comment on column headcount.set_aside.account_id is 'The account (accounts.id).'`,
  `comment on column headcount.set_aside.event_id is 'The event (events.id).'`,
  `comment on column headcount.set_aside.response_id is 'The response (responses.id); NULL for a field of the event itself.'`,
  `comment on column headcount.set_aside.position is 'The slot (slots.position); NULL for a field outside the slots.'`,
  `comment on column headcount.set_aside.field is 'The field.'`,
  `comment on column headcount.set_aside.value is 'Its value as sent.'`,
]
