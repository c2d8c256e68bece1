-- What the scripts hold, as the service's rows (bench/account/rows.ts).
create temporary view events as
  select id, title, event_at, description, event_type, location from mirror.events;
create temporary view responses as
  select event_id, id, name, email, message, quantity::bigint as quantity, rsvp, created_at, updated_at
    from mirror.responses;
create temporary view payments as
  select event_id, id as response_id, amount, processing_fee from mirror.responses where amount is not null;
create temporary view slots as
  select event_id, id as response_id, position::int as position, slot.name,
         slot.start_date::timestamptz as start_date, slot.end_date::timestamptz as end_date,
         left(slot.start_date, 19)::timestamp as start_local, left(slot.end_date, 19)::timestamp as end_local
    from mirror.responses,
         rows from (jsonb_to_recordset(slots) as (name text, start_date text, end_date text))
           with ordinality as slot (name, start_date, end_date, position);
