/**
 * The same rows whatever the reader's session sets. With `standard_conforming_strings = off` a text of `person_id` was no text. From Postgres
 * 18 on, an abbreviation of the session's own zone comes before all others, and in the zone `UTC+2` that is UTC: times and days were two hours off.
 */
import { paymentViews } from './0020_payments.ts'
import { zone } from './0020_view.ts'
import { quickerEventViews } from './0037_quicker_event_views.ts'

/** Z is how Postgres reads the times of the service, too; Etc/UTC would be looked up by its name for each row, for twice the time. */
const steadyZone = `cross join lateral (
       select coalesce(nullif(coalesce(nullif(current_setting('headcount.time_zone', true), ''), a.time_zone), 'UTC'), 'Z') as name
     ) zone`

const viewsWithDays = [...quickerEventViews, ...paymentViews].filter((statement) =>
  statement.startsWith('create or replace view'),
)

/** Names that Postgres takes for an abbreviation, without summer time, and the zones that they are links to in the IANA list. */
const zonesOfAbbreviations = `(values ('CET', 'Europe/Brussels'), ('MET', 'Europe/Brussels'), ('EET', 'Europe/Athens'), ('WET', 'Europe/Lisbon'))`

export const settingsOfSessions: readonly string[] = [
  `create or replace function headcount_internal.person_id(secret bytea, account int, email_key text) returns text
    language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
  begin
    return left(encode(sha256(secret || sha256(
             secret || convert_to(account::text, 'UTF8') || decode('00', 'hex') || convert_to(email_key, 'UTF8'))), 'hex'), 32);
  end $$`,
  `create or replace function headcount_internal.iso_utc(instant timestamptz) returns text language sql stable strict
    begin atomic
      select headcount_internal.iso_wall_clock(instant at time zone interval '0') || 'Z';
    end`,
  `create or replace function headcount_internal.iso_offset(instant timestamptz, wall timestamp) returns text language sql stable strict
    begin atomic
      select headcount_internal.iso_wall_clock(wall)
             || case when shift.minutes < 0 then '-' else '+' end
             || lpad((abs(shift.minutes) / 60)::text, 2, '0') || ':' || lpad((abs(shift.minutes) % 60)::text, 2, '0')
        from (select (extract(epoch from wall - (instant at time zone interval '0')) / 60)::int as minutes) shift;
    end`,
  `do $$
  begin
    execute replace(pg_get_functiondef('headcount_internal.stored_slot_time(jsonb)'::regprocedure),
                    'at time zone ''UTC''', 'at time zone interval ''0''');
  end $$`,
  ...viewsWithDays.map((statement) => statement.replaceAll(zone, steadyZone)),
  `update headcount.accounts a set time_zone = z.zone
     from ${zonesOfAbbreviations} z (abbreviation, zone)
    where a.time_zone = z.abbreviation and exists (select from pg_timezone_names n where n.name = z.zone)`,
]
