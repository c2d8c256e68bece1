/** Views of money. */
import { isShown } from './0012_account_setting.ts'
import { amountAfterFee, dayOf, eventColumns, person, shownEvents, view, zone } from './0020_view.ts'

/** Sums that both views have. */
const sums = `count(*) filter (where p.amount is null) as without_amount, count(*) filter (where p.amount < 0) as negative,
              sum(p.amount) as amount, sum(p.processing_fee) as processing_fee`

const paymentSummary = view({
  name: 'payment_summary',
  comment:
    'What was paid, for each event with a payment. The service names no currency, no state and no time of a payment; refunds are negative amounts as they are sent.',
  columns: {
    payers: 'Persons with a payment.',
    smallest_amount: 'The smallest amount.',
    largest_amount: 'The largest amount.',
    first_payment_at: 'When the first of the responses was made.',
    last_payment_at: 'When the last of the responses was made.',
  },
  query: `
    select ${eventColumns}, e.event_at, ${dayOf('e.event_at')} as event_day, p.payments, p.payers,
           p.without_amount, p.negative, p.amount, p.processing_fee,
           ${amountAfterFee('p.amount', 'p.processing_fee')} as amount_after_fee,
           p.smallest_amount, p.largest_amount, p.first_payment_at, p.last_payment_at
      from ${shownEvents}
     cross join lateral (
       select count(*) as payments, count(distinct ${person('headcount.email_key(r.email)', 'r.id')}) as payers, ${sums},
              min(p.amount) as smallest_amount, max(p.amount) as largest_amount,
              min(r.created_at) as first_payment_at, max(r.created_at) as last_payment_at
         from headcount.payments p
         join headcount.responses r on r.account_id = e.account_id and r.event_id = e.id and r.id = p.response_id
        where p.account_id = e.account_id and p.event_id = e.id
       having count(*) > 0
     ) p`,
})

const paymentsByMonth = view({
  name: 'payments_by_month',
  comment:
    'What was paid in each month. A payment belongs to the month in which its response was made, for the service does not say when it was paid. Months without a payment have no row.',
  columns: {
    month: 'First day of the month, in the zone of the account; NULL for responses without a time.',
    events: 'Different events.',
  },
  query: `
    select p.account_id, p.account, p.month, p.events, p.payments, p.without_amount, p.negative, p.amount, p.processing_fee,
           ${amountAfterFee('p.amount', 'p.processing_fee')} as amount_after_fee
      from (
        select p.account_id, a.name as account,
               date_trunc('month', r.created_at at time zone zone.name)::date as month,
               count(distinct p.event_id) as events, count(*) as payments, ${sums}
          from headcount.payments p
          join headcount.responses r on r.account_id = p.account_id and r.event_id = p.event_id and r.id = p.response_id
          join headcount.accounts a on a.id = p.account_id and ${isShown('p')}
         ${zone}
         group by 1, 2, 3
      ) p`,
})

export const paymentViews: readonly string[] = [...paymentSummary, ...paymentsByMonth]
