/** The same rows of `event_summary` and `response_pace` for less processor time. Columns, comments and grants stay. */
import { isReply, expectedOfPerson, withdrawnOfEvent } from './0020_responses.ts'
import { amountAfterFee, dayOf, eventColumns, person, shownEvents } from './0020_view.ts'

/** Neither view asks how many slots a response takes, so they are not counted. */
const takersOfSlots = `(
           select distinct s.response_id
             from headcount.slots s
            where s.account_id = e.account_id and s.event_id = e.id
         )`

const responsesOfEvent = `
         select r.id, r.created_at, headcount.email_key(r.email) as email_key,
                ${isReply} as is_reply, coalesce(m.meaning, 'unknown') as meaning,
                p.response_id is not null as is_payment, p.amount, p.processing_fee, s.response_id is not null as is_sign_up,
                headcount.people_of(r.kind, r.rsvp, m.meaning, r.quantity, s.response_id is not null) as people
           from headcount.responses r
           left join headcount.rsvp_meanings m on m.value = r.rsvp
           left join headcount.payments p on p.account_id = e.account_id and p.event_id = e.id and p.response_id = r.id
           left join ${takersOfSlots} s on s.response_id = r.id
          where r.account_id = e.account_id and r.event_id = e.id
         offset 0`

/** The same as `expectedOfPerson` of a person with this one response. */
const expectedOfResponse = `greatest(
                    case when r.is_reply and r.meaning = 'coming' then r.people end,
                    case when r.is_payment and coalesce(r.amount, 0) >= 0 and r.meaning <> 'not_coming' then r.people end,
                    case when r.is_sign_up and r.meaning <> 'not_coming' then 1 end, 0)`

/** Responses are grouped by person only where an address answered several times: in most events nobody did, and counting keys is cheaper. */
const eventSummary = `create or replace view headcount.event_summary as
    select ${eventColumns}, e.event_type, e.event_at, ${dayOf('e.event_at')} as event_day,
           ${dayOf('e.event_at')} - ${dayOf('now()')} as days_until,
           r.responses, r.keys + r.without_email as respondents, r.without_email, r.replies, r.coming, r.maybe, r.unknown,
           r.not_coming, r.payments,
           r.amount, r.processing_fee, ${amountAfterFee('r.amount', 'r.processing_fee')} as amount_after_fee,
           r.sign_ups, r.slots, r.people, r.expected, r.first_response_at, r.last_response_at, r.new_7d,
           changed.edited_7d, changed.withdrawn_7d, state.checked_at,
           coalesce(state.checked_at is not null and state.error_code is null and state.held_deletion_count = 0
                    and not exists (
                      select from headcount.rejects j
                       where j.account_id = e.account_id and j.event_id = e.id
                         and not exists (
                           select from headcount.accepted_rejects k
                            where k.account_id = j.account_id and k.event_id = j.event_id and k.sha256 = j.sha256)),
                    false) as complete
      from ${shownEvents}
      left join headcount.sync_state state on state.account_id = e.account_id and state.event_id = e.id
     cross join lateral (
       with response as materialized (${responsesOfEvent})
       select by_event.*,
              case when by_event.keys + by_event.without_email = by_event.responses then by_event.expected_of_responses
                   else (
                     select coalesce(sum(persons.expected), 0)
                       from (
                         select ${expectedOfPerson('r')} as expected
                           from response r
                          group by ${person('r.email_key', 'r.id')}
                       ) persons)
              end as expected,
              (select count(*)
                 from (
                   select
                     from headcount.slots s
                    where s.account_id = e.account_id and s.event_id = e.id
                    group by s.name, s.start_date, s.end_date
                 ) taken) as slots
         from (
           select count(*) as responses, count(*) - count(r.email_key) as without_email,
                  count(distinct r.email_key collate "C") as keys,
                  count(*) filter (where r.is_reply) as replies,
                  coalesce(sum(r.people) filter (where r.is_reply and r.meaning = 'coming'), 0) as coming,
                  coalesce(sum(r.people) filter (where r.is_reply and r.meaning = 'maybe'), 0) as maybe,
                  coalesce(sum(r.people) filter (where r.is_reply and r.meaning = 'unknown'), 0) as unknown,
                  count(*) filter (where r.is_reply and r.meaning = 'not_coming') as not_coming,
                  count(*) filter (where r.is_payment) as payments,
                  sum(r.amount) as amount, sum(r.processing_fee) as processing_fee,
                  count(*) filter (where r.is_sign_up) as sign_ups,
                  coalesce(sum(r.people), 0) as people,
                  coalesce(sum(${expectedOfResponse}), 0) as expected_of_responses,
                  min(r.created_at) as first_response_at, max(r.created_at) as last_response_at,
                  count(*) filter (where r.created_at > now() - interval '168 hours' and r.created_at <= now()) as new_7d
             from response r
         ) by_event
     ) r
     cross join lateral (
       select count(distinct h.response_id) filter (where h.operation = 'update' and r.id is not null) as edited_7d,
              count(distinct h.response_id) filter (where h.operation = 'delete' and r.id is null) as withdrawn_7d
         from headcount.response_history h
         left join headcount.responses r
           on r.account_id = h.account_id and r.event_id = h.event_id and r.id = h.response_id
        where h.account_id = e.account_id and h.event_id = e.id
           and h.valid_to > now() - interval '168 hours' and h.valid_to <= now()
     ) changed`

/**
 * Live responses are grouped by day before those withdrawn are added, and the days of the event are worked out once an event, for they
 * are asked inside of the subquery; outside of it they would be worked out for each row.
 */
const responsePace = `create or replace view headcount.response_pace as
    select ${eventColumns}, d.event_day, d.day, d.event_day - d.day as days_before,
           d.new_responses, d.withdrawn_responses, d.new_people, d.withdrawn_people,
           d.responses_so_far, d.people_so_far, d.known_since
      from ${shownEvents}
      left join headcount.sync_runs first_run on first_run.id = a.first_listed_run_id
     cross join lateral (
       select ${dayOf('e.event_at')} as event_day,
              ${dayOf('greatest(first_run.started_at, a._history_from)')} as known_since
       offset 0
     ) of_event
     cross join lateral (
       select of_event.event_day, of_event.known_since, c.day, c.new_responses, c.withdrawn_responses, c.new_people, c.withdrawn_people,
              (sum(c.new_responses - c.withdrawn_responses) over so_far)::bigint as responses_so_far,
              sum(c.new_people - c.withdrawn_people) over so_far as people_so_far
         from (
           select coalesce(live.day, gone.day) as day,
                  coalesce(live.responses, 0) + coalesce(gone.new_responses, 0) as new_responses,
                  coalesce(gone.withdrawn_responses, 0) as withdrawn_responses,
                  coalesce(live.people, 0) + coalesce(gone.new_people, 0) as new_people,
                  coalesce(gone.withdrawn_people, 0) as withdrawn_people
             from (
               select r.day, count(*) as responses, sum(r.people) as people
                 from (
                   select ${dayOf('coalesce(r.created_at, r._first_seen_at)')} as day,
                          headcount.people_of(
                            r.kind, r.rsvp,
                            case when r.rsvp in (select m.value from headcount.rsvp_meanings m where m.meaning = 'not_coming')
                                 then 'not_coming' end,
                            r.quantity, s.response_id is not null) as people
                     from headcount.responses r
                     left join ${takersOfSlots} s on s.response_id = r.id
                    where r.account_id = e.account_id and r.event_id = e.id
                 ) r
                group by r.day
             ) live
             full join (
               select change.day, count(*) filter (where change.is_new) as new_responses,
                      count(*) filter (where not change.is_new) as withdrawn_responses,
                      sum(w.people) filter (where change.is_new) as new_people,
                      sum(w.people) filter (where not change.is_new) as withdrawn_people
                 from (${withdrawnOfEvent}) w
                cross join lateral (
                  values (true, ${dayOf('w.created_at')}), (false, ${dayOf('w.withdrawn_at')})
                ) change (is_new, day)
                group by change.day
             ) gone on gone.day = live.day
         ) c
       window so_far as (order by c.day)
     ) d`

export const quickerEventViews: readonly string[] = [eventSummary, responsePace]
