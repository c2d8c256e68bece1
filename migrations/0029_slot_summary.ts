/** The view slot_summary. A sign-up has hardly ever a value of rsvp, so the meaning is looked up only where there is one. */
import { eventColumns, person, shownEvents } from './0020_view.ts'

export const slotSummaryQuery = `create or replace view headcount.slot_summary as
    select ${eventColumns}, e.event_at, s.slot_name, s.start_date, s.end_date, s.start_local, s.end_local,
           s.sign_ups, s.respondents, s.people,
           coalesce(
             case when (select exists (select from headcount.slot_targets)) then (
               select t.wanted
                 from headcount.slot_targets t
                where t.account_id = e.account_id and (t.event_id is null or t.event_id = e.id)
                  and (t.slot_name is null or t.slot_name = s.slot_name)
                order by t.slot_name is null, t.event_id is null
                limit 1)
             end, 2) as wanted,
           s.start_date > now() as is_upcoming, s.last_sign_up_at
      from ${shownEvents}
     cross join lateral (
       select s.slot_name, s.start_date, s.end_date, min(s.start_local) as start_local, min(s.end_local) as end_local,
              count(*) as sign_ups, count(distinct ${person('r.email_key', 'r.id')}) as respondents,
              coalesce(sum(r.people), 0) as people, max(r.created_at) as last_sign_up_at
         from (
           select s.response_id, s.name as slot_name, s.start_date, s.end_date,
                  min(s.start_local) as start_local, min(s.end_local) as end_local
             from headcount.slots s
            where s.account_id = e.account_id and s.event_id = e.id
            group by s.response_id, s.name, s.start_date, s.end_date
         ) s
         join (
           select r.id, r.created_at, headcount.email_key(r.email) as email_key,
                  headcount.people_of(
                    r.kind, r.rsvp,
                    case when r.rsvp is not null
                         then (select m.meaning from headcount.rsvp_meanings m where m.value = r.rsvp) end,
                    r.quantity, true) as people
             from headcount.responses r
            where r.account_id = e.account_id and r.event_id = e.id and r.kind in ('signup', 'mixed')
           offset 0
         ) r on r.id = s.response_id
        group by s.slot_name, s.start_date, s.end_date
     ) s`
