/** What organisers ask, and how the views answer: the text of docs/queries.md. */

export interface Question {
  readonly view: string
  readonly question: string
  readonly sql: string
  /** What the answer does not say. */
  readonly note?: string
}

export const questions: readonly Question[] = [
  {
    view: 'event_summary',
    question: 'Who is expected at the next five events, and what came in?',
    sql: `select event_title, event_day, expected, maybe, amount_after_fee
  from event_summary
 where days_until >= 0
 order by event_at limit 5`,
    note: 'Somebody who says yes, pays and signs up counts once: `expected` is the number to plan with. Nobody knows who came: the service has no attendance, and no capacity.',
  },
  {
    view: 'event_respondents',
    question: 'The guest list for the door of the next one:',
    sql: `select name, expected, meaning, amount
  from event_respondents
 where expected > 0 and event_id = (select event_id from event_summary where days_until >= 0 order by event_at limit 1)
 order by name limit 5`,
    note: "`where meaning = 'coming' and payments = 0` are those who said yes and have not paid.",
  },
  {
    view: 'response_pace',
    question: 'How do the responses to it come in, and how did those to its forerunners a week before?',
    sql: `with next as (
  select event_id from event_summary where days_until > 6 order by event_at limit 1
)
select event_title, event_day, max(people_so_far) as people_a_week_before
  from response_pace
 where days_before >= 7
   and (event_id in (select event_id from next)
        or event_id in (select similar_event_id from similar_events where event_id in (select event_id from next)))
 group by event_title, event_day
 order by event_day`,
    note: '`known_since` is the day of the first run: what was withdrawn before it was never seen.',
  },
  {
    view: 'similar_events',
    question: 'Which earlier events is an event compared with?',
    sql: `select e.event_title, e.event_day, s.rank, s.similar_event_title, s.similar_event_at::date as similar_event_day
  from similar_events s
  join event_summary e on e.account_id = s.account_id and e.event_id = s.event_id
 where e.days_until >= 0
 order by e.event_at, s.rank limit 5`,
  },
  {
    view: 'response_changes',
    question: 'Who changed or withdrew a response since yesterday, and what did it say before?',
    sql: `select name, change, field, old_value, new_value
  from response_changes
 where not initial and changed_at > now() - interval '1 day'
   and (change = 'delete' or field in ('rsvp', 'quantity'))
   and (change = 'update' or length(old_value) < 230)
 order by change desc, name limit 4`,
    note: 'An insert or delete has the whole response as JSON. `initial` rows are the first reading of what was there before the mirror, and no news.',
  },
  {
    view: 'event_changes',
    question: 'Which events were announced, moved or removed?',
    sql: `select event_title, what, field, old_value, new_value
  from event_changes
 where not initial and what <> 'announced'
 order by run_id desc, event_title, event_at limit 5`,
    note: 'The service says only that an event is no longer listed, not that it was cancelled.',
  },
  {
    view: 'changes',
    question: 'What did each run change? (For programs: one row an item, with a cursor.)',
    sql: `select run_id, entity, change, count(*) as items
  from changes
 where not initial and run_finished_at is not null
 group by run_id, entity, change
 order by run_id, entity, change`,
    note: 'Keep the number of the last run of each account that was closed, and ask for `run_id` above it. Never keep a time.',
  },
  {
    view: 'payments_by_month',
    question: 'What came in each month, and what did the fees take?',
    sql: `select to_char(month, 'YYYY-MM') as month, payments, negative, amount, processing_fee, amount_after_fee
  from payments_by_month
 order by month desc limit 5`,
    note: 'The service names no currency, no state and no time of a payment: a payment belongs to the month of its response. Whether the amount contains the fee is not said either.',
  },
  {
    view: 'payment_summary',
    question: 'Which events brought in most?',
    sql: `select event_title, event_day, payments, payers, amount, amount_after_fee
  from payment_summary
 order by amount desc nulls last limit 5`,
    note: 'Refunds are negative amounts as they are sent. A payment that the service lowers or drops changes the response; history has what it was.',
  },
  {
    view: 'thin_slots',
    question: 'Which slots of the next eight weeks need people?',
    sql: `select start_local, event_title, slot_name, people, wanted, missing
  from thin_slots
 order by start_date limit 5`,
    note: 'A slot wants 2 people unless `headcount slot-targets set` says more. A slot that nobody ever took is in no response, so it is not here.',
  },
  {
    view: 'slot_summary',
    question: 'How full is each slot of the coming weeks?',
    sql: `select start_local, slot_name, sign_ups, people, wanted
  from slot_summary
 where is_upcoming
 order by start_date, slot_name limit 5`,
    note: 'The quantity belongs to the whole response: never add `people` over slots.',
  },
  {
    view: 'respondents',
    question: 'Who are the most faithful guests?',
    sql: `select name, events_coming, people, last_response_at::date as last_response
  from respondents
 order by events_coming desc, last_response_at desc limit 5`,
    note: 'A person is an e-mail address; a family with one address is one person. `person_id` is a pseudonym to share instead.',
  },
  {
    view: 'rsvp_values',
    question: 'Which replies are there, and what do they mean?',
    sql: `select value, responses, meaning from rsvp_values order by responses desc`,
    note: '`headcount rsvp-meanings set VALUE MEANING` says what another value means.',
  },
  {
    view: 'slots',
    question: 'The rota: who does what, when?',
    sql: `select s.start_local, s.name as slot, r.name, r.quantity
  from slots s
  join responses r on r.account_id = s.account_id and r.event_id = s.event_id and r.id = s.response_id
 where s.start_date between now() and now() + interval '8 weeks'
 order by s.start_local, s.name, r.name limit 5`,
  },
  {
    view: 'responses',
    question: 'What must the kitchen know?',
    sql: `select event_title, name, message
  from response_details
 where event_at > now() and message ~* 'vegetarian|vegan|gluten|allerg|ohne nüsse'
 order by event_at, name limit 4`,
  },
]
