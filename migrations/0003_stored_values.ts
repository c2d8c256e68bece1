/**
 * The way back from a document of history to the columns of the live tables. A document has each column's value
 * in one form alone (0001: event_document, response_document), and beside them, under the same names, the originals
 * of fields that were set aside. What is not of that form was set aside: the column is NULL and `_extra` has it.
 *
 * Time stamps are looked at without a regular expression: one that knows the calendar takes 30 µs a value.
 */
export const storedValues: readonly string[] = [
  `create function headcount.stored_text(value jsonb) returns text language sql immutable as $$
    select case when jsonb_typeof(value) = 'string' then value #>> '{}' end
  $$`,

  `create function headcount.stored_bigint(value jsonb) returns bigint language sql immutable as $$
    select case
             when jsonb_typeof(value) = 'number'
             then case
                    when value::numeric = trunc(value::numeric)
                     and value::numeric between -9223372036854775808 and 9223372036854775807
                    then value::bigint
                  end
           end
  $$`,

  // What numeric holds: 131,072 digits before the point, 16,383 behind it. [0-9], for \\d takes digits of other scripts.
  `create function headcount.stored_amount(value jsonb) returns numeric language sql immutable as $$
    select case
             when jsonb_typeof(value) = 'string' and value #>> '{}' ~ '^-?[0-9]+(?:\\.[0-9]+)?$'
              and length(ltrim(split_part(value #>> '{}', '.', 1), '-0')) <= 131072
              and length(split_part(value #>> '{}', '.', 2)) <= 16383
             then (value #>> '{}')::numeric
           end
  $$`,

  `create function headcount.is_wall_clock(wall text) returns boolean language plpgsql immutable as $$
    declare
      form text := translate(wall, '123456789', '000000000');
      year int;
      month int;
      day int;
    begin
      if left(form, 19) <> '0000-00-00T00:00:00'
         or substr(form, 20) not in ('', '.0', '.00', '.000', '.0000', '.00000', '.000000') then
        return false;
      end if;
      year := substr(wall, 1, 4);
      month := substr(wall, 6, 2);
      day := substr(wall, 9, 2);
      return year > 0 and month between 1 and 12 and day > 0
        and day <= case
                     when month in (4, 6, 9, 11) then 30
                     when month <> 2 then 31
                     when year % 4 = 0 and (year % 100 <> 0 or year % 400 = 0) then 29
                     else 28
                   end
        and substr(wall, 12, 2)::int < 24 and substr(wall, 15, 2)::int < 60 and substr(wall, 18, 2)::int < 60;
    end
  $$`,

  `create function headcount.stored_instant(value jsonb) returns timestamptz language plpgsql stable as $$
    declare
      sent text := headcount.stored_text(value);
    begin
      if sent is null or right(sent, 1) <> 'Z' or not headcount.is_wall_clock(left(sent, -1)) then
        return null;
      end if;
      return sent::timestamptz;
    end
  $$`,

  // The text itself, for it has both the instant and the wall clock. An offset can carry it out of the years 1 to 9999.
  `create function headcount.stored_slot_time(value jsonb) returns text language plpgsql stable as $$
    declare
      sent text := headcount.stored_text(value);
      zone text := right(sent, 6);
      utc timestamp;
    begin
      if sent is null or translate(zone, '123456789-', '000000000+') <> '+00:00'
         or substr(zone, 2, 2)::int > 15 or substr(zone, 5, 2)::int > 59
         or not headcount.is_wall_clock(left(sent, -6)) then
        return null;
      end if;
      utc := sent::timestamptz at time zone 'UTC';
      return case when utc >= timestamp '0001-01-01' and utc < timestamp '10000-01-01' then sent end;
    end
  $$`,

  // Strict: a lax path would look into an array that is an element and find the object there.
  `create function headcount.stored_slots(value jsonb) returns jsonb language sql immutable as $$
    select case
             when jsonb_typeof(value) = 'array'
             then case when not jsonb_path_exists(value, 'strict $[*] ? (@.type() != "object")') then value end
           end
  $$`,

  `create function headcount.is_paid(document jsonb) returns boolean language sql immutable as $$
    select coalesce(jsonb_typeof(document->'amount') <> 'null', false)
        or coalesce(jsonb_typeof(document->'processing_fee') <> 'null', false)
  $$`,

  `create function headcount.kind_of(document jsonb) returns text language sql immutable as $$
    select case
             when coalesce(jsonb_typeof(document->'rsvp') <> 'null', false)::int
                + headcount.is_paid(document)::int
                + coalesce(document->'slots' not in ('null', '[]'), false)::int > 1 then 'mixed'
             when jsonb_typeof(document->'rsvp') <> 'null' then 'reply'
             when headcount.is_paid(document) then 'payment'
             when jsonb_typeof(document->'slots') <> 'null' then 'signup'
             when jsonb_typeof(document->'quantity') <> 'null' then 'reply'
             else 'bare'
           end
  $$`,
]
