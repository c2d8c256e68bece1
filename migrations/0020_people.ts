/** Views over all events of an account: its people, and the values of its replies. */
import { isShown } from './0012_account_setting.ts'
import { expectedOfPerson, isReply } from './0020_responses.ts'
import { amountAfterFee, latest, personId, view } from './0020_view.ts'

/**
 * All responses with an e-mail key. Each part is looked up by its key, so that one person costs what its own rows cost; only sign-ups
 * have slots.
 */
export const responsesWithKey = `
        select r.*, headcount.people_of(r.kind, r.rsvp, r.meaning, r.quantity, r.is_sign_up) as people
          from (
            select r.account_id, r.event_id, r.id, r.kind, r.name, r.email, r.rsvp, r.quantity, r.created_at,
                   headcount.email_key(r.email) as email_key, ${isReply} as is_reply,
                   coalesce(m.meaning, 'unknown') as meaning,
                   p.response_id is not null as is_payment, p.amount, p.processing_fee,
                   r.kind in ('signup', 'mixed')
                     and exists (select from headcount.slots s
                                  where s.account_id = r.account_id and s.event_id = r.event_id and s.response_id = r.id)
                     as is_sign_up
              from headcount.responses r
              left join headcount.rsvp_meanings m on m.value = r.rsvp
              left join headcount.payments p
                on p.account_id = r.account_id and p.event_id = r.event_id and p.response_id = r.id
             where headcount.email_key(r.email) is not null and ${isShown('r')}
          ) r`

/** The latest over all events: ids are those of one event. */
export const latestOfAll = (value: string) =>
  latest(value, 'r', `${value} is not null`, 'r.id desc, r.event_id desc')

/** First by event, for whoever says yes to one event and pays for it counts once there. `where email_key = …` reaches the index through both groups. */
const respondents = view({
  name: 'respondents',
  comment:
    'Each person over all events of the account, by e-mail key. Responses without one are not here: event_summary.without_email counts them.',
  columns: {
    name: "Name in the person's latest response that has one.",
    email: "E-mail address in the person's latest response.",
    names: 'Different names used.',
    responses: 'Live responses of the person.',
    events: 'Different events that the person answered.',
    events_coming: 'Events for which the person is expected. Answers, not attendance.',
    people: 'People of all responses of the person.',
  },
  query: `
    select p.account_id, a.name as account, ${personId('p.account_id', 'p.email_key')} as person_id, p.email_key,
           p.name, p.email, p.names, p.responses, e.events, e.events_coming, p.people, p.sign_ups, p.payments,
           p.amount, p.processing_fee, ${amountAfterFee('p.amount', 'p.processing_fee')} as amount_after_fee,
           p.first_response_at, p.last_response_at
      from (
        select r.account_id, r.email_key, ${latestOfAll('r.name')} as name, ${latestOfAll('r.email')} as email,
               count(distinct r.name) as names, count(*) as responses, coalesce(sum(r.people), 0) as people,
               count(*) filter (where r.is_sign_up) as sign_ups, count(*) filter (where r.is_payment) as payments,
               sum(r.amount) as amount, sum(r.processing_fee) as processing_fee,
               min(r.created_at) as first_response_at, max(r.created_at) as last_response_at
          from (${responsesWithKey}) r
         group by r.account_id, r.email_key
      ) p
      join (
        select o.account_id, o.email_key, count(*) as events, count(*) filter (where o.expected > 0) as events_coming
          from (
            select r.account_id, r.email_key, ${expectedOfPerson('r')} as expected
              from (${responsesWithKey}) r
             group by r.account_id, r.email_key, r.event_id
          ) o
         group by o.account_id, o.email_key
      ) e on e.account_id = p.account_id and e.email_key = p.email_key
      join headcount.accounts a on a.id = p.account_id`,
})

const rsvpValues = view({
  name: 'rsvp_values',
  comment: 'The values of rsvp that live responses have, with their meaning.',
  columns: {
    value: 'The reply as the service spells it (responses.rsvp).',
    responses: 'Live responses with this value.',
    meaning: 'coming, maybe or not_coming, as rsvp_meanings says; unknown when it says nothing.',
  },
  query: `
    select v.account_id, a.name as account, v.value, v.responses, coalesce(m.meaning, 'unknown') as meaning
      from (
        select r.account_id, r.rsvp as value, count(*) as responses
          from headcount.responses r
         where r.rsvp is not null and ${isShown('r')}
         group by r.account_id, r.rsvp
      ) v
      join headcount.accounts a on a.id = v.account_id
      left join headcount.rsvp_meanings m on m.value = v.value`,
})

export const peopleViews: readonly string[] = [...respondents, ...rsvpValues]
