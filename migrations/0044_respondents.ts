/**
 * The same rows of `respondents` in one pass over the responses. Two groupings were joined, by account and key, and for a question that needs few
 * columns, as `count(*)`, the planner joined by account alone: each person was compared with all others.
 */
import { responsesWithKey, latestOfAll } from './0020_people.ts'
import { expectedOfPerson } from './0020_responses.ts'
import { amountAfterFee, personId } from './0020_view.ts'

/** `where email_key = …` reaches the index through the group and the window. */
const respondents = `
    select p.account_id, a.name as account, ${personId('p.account_id', 'p.email_key')} as person_id, p.email_key,
           p.name, p.email, p.names, p.responses, p.events, p.events_coming, p.people, p.sign_ups, p.payments,
           p.amount, p.processing_fee, ${amountAfterFee('p.amount', 'p.processing_fee')} as amount_after_fee,
           p.first_response_at, p.last_response_at
      from (
        select r.account_id, r.email_key, ${latestOfAll('r.name')} as name, ${latestOfAll('r.email')} as email,
               count(distinct r.name) as names, count(*) as responses,
               count(*) filter (where r.is_first_of_event) as events,
               count(*) filter (where r.is_first_of_event and r.expected > 0) as events_coming,
               coalesce(sum(r.people), 0) as people,
               count(*) filter (where r.is_sign_up) as sign_ups, count(*) filter (where r.is_payment) as payments,
               sum(r.amount) as amount, sum(r.processing_fee) as processing_fee,
               min(r.created_at) as first_response_at, max(r.created_at) as last_response_at
          from (
            select r.*, ${expectedOfPerson('r', ' over event')} as expected, row_number() over event = 1 as is_first_of_event
              from (${responsesWithKey}) r
            window event as (partition by r.account_id, r.email_key, r.event_id)
          ) r
         group by r.account_id, r.email_key
      ) p
      join headcount.accounts a on a.id = p.account_id`

export const respondentsInOnePass: readonly string[] = [
  `create or replace view headcount.respondents as${respondents}`,
]
