-- What the target holds, as the service's rows (bench/account/rows.ts); its time stamps are without zone, in UTC.
create temporary view events as
  select id, title, event_at at time zone 'UTC' as event_at, description, event_type, location from mirror.events;
create temporary view responses as
  select event_id, id, name, email, message, quantity, rsvp, created_at at time zone 'UTC' as created_at,
         updated_at at time zone 'UTC' as updated_at
    from mirror.responses;
create temporary view payments as
  select event_id, id as response_id, amount::numeric as amount, processing_fee::numeric as processing_fee
    from mirror.responses
   where amount is not null;
create temporary view slots as
  select event_id, id as response_id, position::int as position, slot ->> 'name' as name,
         (slot ->> 'start_date')::timestamptz as start_date, (slot ->> 'end_date')::timestamptz as end_date,
         left(slot ->> 'start_date', 19)::timestamp as start_local,
         left(slot ->> 'end_date', 19)::timestamp as end_local
    from mirror.responses, unnest(slots) with ordinality as listed (slot, position);
