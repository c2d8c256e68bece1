-- What dlt holds with slots in a table of their own, as the service's rows (bench/account/rows.ts).
create temporary view events as
  select id, title, event_at, description, event_type, location from mirror.events;
create temporary view responses as
  select _events_id as event_id, id, name, email, message, quantity, rsvp, created_at, updated_at
    from mirror.responses;
create temporary view payments as
  select _events_id as event_id, id as response_id, amount, processing_fee
    from mirror.responses
   where amount is not null;
create temporary view slots as
  select _events_id as event_id, id as response_id, (slot._dlt_list_idx + 1)::int as position, slot.name,
         slot.start_date::timestamptz as start_date, slot.end_date::timestamptz as end_date,
         left(slot.start_date, 19)::timestamp as start_local, left(slot.end_date, 19)::timestamp as end_local
    from mirror.responses__slots as slot
    join mirror.responses as response on response._dlt_id = slot._dlt_parent_id;
