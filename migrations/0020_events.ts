/** Views with a row for an event, and for a person of an event. */
import { isShown } from './0012_account_setting.ts'
import { expectedOfPerson, responsesOfEvent, withdrawnOfEvent } from './0020_responses.ts'
import {
  amountAfterFee,
  dayOf,
  eventColumns,
  latest,
  person,
  personId,
  shownEvents,
  view,
} from './0020_view.ts'

const eventSummary = view({
  name: 'event_summary',
  comment:
    'Each live event in figures: who answered, what was paid, how many people to expect. Answers are no attendance; the service says nothing of who came, nor how many fit in.',
  columns: {
    days_until: 'Days from today to the event; negative for past events, NULL without a time.',
    respondents: 'Persons who answered: rows in event_respondents.',
    without_email: 'Responses without an e-mail key; each counts as a person of its own.',
    replies: 'Responses with a reply.',
    not_coming: 'Responses that mean not coming (replies, not people).',
    slots: 'Different slots that somebody takes. A slot that nobody ever took is in no response.',
    people: 'People of all responses. For sign-ups the service may count units.',
    expected:
      'The number to plan with: for each person the most of yes-replies, payments and sign-ups, so that nobody counts twice. Maybe adds nothing.',
    new_7d: 'Live responses made in the last 7 × 24 hours.',
    edited_7d: 'Live responses that changed in that time.',
    withdrawn_7d: 'Responses withdrawn in that time and not live now.',
    checked_at: 'When the list of responses was last read.',
    complete:
      'Whether the figures are whole: the list was read, the last reading did not fail, no deletion is held, no reject is open.',
  },
  query: `
    select ${eventColumns}, e.event_type, e.event_at, ${dayOf('e.event_at')} as event_day,
           ${dayOf('e.event_at')} - ${dayOf('now()')} as days_until,
           r.responses, r.respondents, r.without_email, r.replies, r.coming, r.maybe, r.unknown, r.not_coming, r.payments,
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
       select by_event.*, by_person.*, by_slot.*
         from (
           select count(*) as responses, count(*) - count(r.email_key) as without_email,
                  count(*) filter (where r.is_reply) as replies,
                  coalesce(sum(r.people) filter (where r.is_reply and r.meaning = 'coming'), 0) as coming,
                  coalesce(sum(r.people) filter (where r.is_reply and r.meaning = 'maybe'), 0) as maybe,
                  coalesce(sum(r.people) filter (where r.is_reply and r.meaning = 'unknown'), 0) as unknown,
                  count(*) filter (where r.is_reply and r.meaning = 'not_coming') as not_coming,
                  count(*) filter (where r.is_payment) as payments,
                  sum(r.amount) as amount, sum(r.processing_fee) as processing_fee,
                  count(*) filter (where r.is_sign_up) as sign_ups,
                  coalesce(sum(r.people), 0) as people,
                  min(r.created_at) as first_response_at, max(r.created_at) as last_response_at,
                  count(*) filter (where r.created_at > now() - interval '168 hours' and r.created_at <= now()) as new_7d
             from response r
         ) by_event,
         (
           select count(*) as respondents, coalesce(sum(persons.expected), 0) as expected
             from (
               select ${expectedOfPerson('r')} as expected
                 from response r
                group by ${person('r.email_key', 'r.id')}
             ) persons
         ) by_person,
         (
           select count(*) as slots
             from (
               select
                 from headcount.slots s
                where s.account_id = e.account_id and s.event_id = e.id
                group by s.name, s.start_date, s.end_date
             ) taken
         ) by_slot
     ) r
     cross join lateral (
       select count(distinct h.response_id) filter (where h.operation = 'update' and r.id is not null) as edited_7d,
              count(distinct h.response_id) filter (where h.operation = 'delete' and r.id is null) as withdrawn_7d
         from headcount.response_history h
         left join headcount.responses r
           on r.account_id = h.account_id and r.event_id = h.event_id and r.id = h.response_id
        where h.account_id = e.account_id and h.event_id = e.id
           and h.valid_to > now() - interval '168 hours' and h.valid_to <= now()
     ) changed`,
})

const eventRespondents = view({
  name: 'event_respondents',
  comment:
    'Each person who answered an event: the guest list, and who said yes and has not paid. A person is one e-mail key; a family with one address is one person. Answers are no attendance.',
  columns: {
    response_id: 'The response (responses.id), only of a person without an e-mail key.',
    name: "Name in the person's latest response that has one.",
    email: "E-mail address in the person's latest response that has one.",
    responses: 'Responses of the person to the event.',
    meaning: 'What the latest reply means: coming, maybe, not_coming or unknown; NULL without a reply.',
    slots: 'Slots that the person takes.',
    expected: 'People to expect of this person: the most of yes-replies, payments and sign-ups.',
    messages: 'Messages that are not empty, oldest first, a line break between.',
  },
  query: `
    select ${eventColumns}, e.event_at, p.response_id, ${personId('e.account_id', 'p.email_key')} as person_id,
           p.email_key, p.name, p.email, p.responses, p.meaning, p.coming, p.maybe, p.unknown, p.payments,
           p.amount, p.processing_fee, ${amountAfterFee('p.amount', 'p.processing_fee')} as amount_after_fee,
           p.sign_ups, p.slots, p.expected, p.messages, p.first_response_at, p.last_response_at
      from ${shownEvents}
     cross join lateral (
       select min(r.id) filter (where r.email_key is null) as response_id, min(r.email_key) as email_key,
              ${latest('r.name', 'r')} as name, ${latest('r.email', 'r')} as email,
              count(*) as responses, ${latest('r.meaning', 'r', 'r.is_reply')} as meaning,
              coalesce(sum(r.people) filter (where r.is_reply and r.meaning = 'coming'), 0) as coming,
              coalesce(sum(r.people) filter (where r.is_reply and r.meaning = 'maybe'), 0) as maybe,
              coalesce(sum(r.people) filter (where r.is_reply and r.meaning = 'unknown'), 0) as unknown,
              count(*) filter (where r.is_payment) as payments,
              sum(r.amount) as amount, sum(r.processing_fee) as processing_fee,
              count(*) filter (where r.is_sign_up) as sign_ups, coalesce(sum(r.slots), 0)::bigint as slots,
              ${expectedOfPerson('r')} as expected,
              string_agg(r.message, E'\n' order by r.created_at nulls first, r.id) filter (where r.message <> '') as messages,
              min(r.created_at) as first_response_at, max(r.created_at) as last_response_at
         from (${responsesOfEvent}) r
        group by ${person('r.email_key', 'r.id')}
     ) p`,
})

const responsePace = view({
  name: 'response_pace',
  comment:
    'How the responses to an event came and went, one row a day on which something happened. A response counts with its present people, one that was withdrawn with its last. Nothing is known of what was withdrawn before the first run.',
  columns: {
    day: 'Day in the zone of the account.',
    days_before: 'Days from this day to the event; negative after it, NULL without a time.',
    new_responses: 'Responses made on this day, also those withdrawn later.',
    withdrawn_responses: 'Responses withdrawn on this day.',
    new_people: 'People of the new responses.',
    withdrawn_people: 'People of the responses withdrawn.',
    responses_so_far: 'New minus withdrawn responses up to this day.',
    people_so_far: 'The same in people; on the last day as event_summary.people.',
    known_since: 'Withdrawals before this day are unknown: the first run, or the horizon of prune.',
  },
  query: `
    select ${eventColumns}, ${dayOf('e.event_at')} as event_day, d.day, ${dayOf('e.event_at')} - d.day as days_before,
           d.new_responses, d.withdrawn_responses, d.new_people, d.withdrawn_people,
           d.responses_so_far, d.people_so_far,
           ${dayOf('greatest(first_run.started_at, a._history_from)')} as known_since
      from ${shownEvents}
      left join headcount.sync_runs first_run on first_run.id = a.first_listed_run_id
     cross join lateral (
       select c.day, sum(c.new)::bigint as new_responses, sum(c.withdrawn)::bigint as withdrawn_responses,
              coalesce(sum(c.people) filter (where c.new = 1), 0) as new_people,
              coalesce(sum(c.people) filter (where c.withdrawn = 1), 0) as withdrawn_people,
              (sum(sum(c.new - c.withdrawn)) over so_far)::bigint as responses_so_far,
              sum(coalesce(sum(c.people) filter (where c.new = 1), 0)
                  - coalesce(sum(c.people) filter (where c.withdrawn = 1), 0)) over so_far as people_so_far
         from (
           select ${dayOf('coalesce(r.created_at, r._first_seen_at)')} as day, 1 as new, 0 as withdrawn, r.people
             from (${responsesOfEvent}) r
           union all
           select ${dayOf('case when change.is_new then w.created_at else w.withdrawn_at end')},
                  change.is_new::int, (not change.is_new)::int, w.people
             from (${withdrawnOfEvent}) w
            cross join (values (true), (false)) change (is_new)
         ) c
        group by c.day
       window so_far as (order by c.day)
     ) d`,
})

const similarEvents = view({
  name: 'similar_events',
  comment:
    'Which earlier events an event is compared with: at most three, with the same type, a response, and the same title when digits and white space are left out.',
  columns: {
    similar_event_id: 'The earlier event (events.id).',
    similar_event_title: 'Its title.',
    similar_event_at: 'When it took place.',
    rank: '1 is the latest.',
  },
  query: `
    select e.account_id, a.name as account, e.id as event_id, former.id as similar_event_id,
           former.title as similar_event_title, former.event_at as similar_event_at, former.rank
      from headcount.events e
      join headcount.accounts a on a.id = e.account_id and ${isShown('e')}
     cross join lateral (
       select f.id, f.title, f.event_at, (row_number() over (order by f.event_at desc, f.id))::int as rank
         from headcount.events f
        where f.account_id = e.account_id and f.event_at < e.event_at
          and headcount_internal.series_of(f.event_type, f.title) = headcount_internal.series_of(e.event_type, e.title)
          and exists (select from headcount.responses r where r.account_id = f.account_id and r.event_id = f.id)
        order by f.event_at desc, f.id
        limit 3
     ) former`,
})

export const eventViews: readonly string[] = [
  ...eventSummary,
  ...eventRespondents,
  ...responsePace,
  ...similarEvents,
]
