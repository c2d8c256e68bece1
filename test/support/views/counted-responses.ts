/** Responses with their parts, people and meaning: rules 4 to 9 of the views, written a second time. */
import { emailKey, parseDecimal, text, type Moment } from './mirror-rows.ts'
import type { Row } from './read-views.ts'

export interface Counted {
  readonly account_id: number
  readonly event_id: string
  readonly id: string
  readonly name: string | null
  readonly email: string | null
  readonly message: string | null
  readonly created_at: string | null
  readonly firstSeenAt: string
  readonly key: string | null
  /** Who it is, within the account and, without a key, the event. */
  readonly person: string
  readonly rsvp: string | null
  readonly meaning: string
  readonly isReply: boolean
  readonly payment: { readonly amount: string | null; readonly processing_fee: string | null } | null
  readonly slots: readonly Row[]
  readonly people: bigint
}

export function meaningOf(moment: Moment, rsvp: string | null): string {
  const found = moment.table('rsvp_meanings').find(({ value }) => value === rsvp)
  return text(found?.['meaning']) ?? 'unknown'
}

export function peopleOf(
  kind: string,
  rsvp: string | null,
  meaning: string,
  quantity: string | null,
  slots: number,
): bigint {
  const sent = quantity === null ? null : BigInt(quantity)
  if (rsvp !== null) {
    if (meaning === 'not_coming') return 0n
    return sent === null || sent < 1n ? 1n : sent
  }
  if (kind === 'signup' && slots === 0) return 0n
  if (sent === null) return 1n
  return sent < 0n ? 0n : sent
}

export function countedResponses(moment: Moment): readonly Counted[] {
  const key = (row: Row, id: string) => JSON.stringify([row['account_id'], row['event_id'], row[id]])
  const payments = new Map(moment.table('payments').map((row) => [key(row, 'response_id'), row]))
  const slots = Map.groupBy(moment.table('slots'), (row) => key(row, 'response_id'))
  return moment.table('responses').map((row) => {
    const payment = payments.get(key(row, 'id'))
    const taken = slots.get(key(row, 'id')) ?? []
    const rsvp = text(row['rsvp'])
    const kind = String(row['kind'])
    const meaning = meaningOf(moment, rsvp)
    const ofEmail = emailKey(text(row['email']))
    return {
      account_id: Number(row['account_id']),
      event_id: String(row['event_id']),
      id: String(row['id']),
      name: text(row['name']),
      email: text(row['email']),
      message: text(row['message']),
      created_at: text(row['created_at']),
      firstSeenAt: String(row['_first_seen_at']),
      key: ofEmail,
      person:
        ofEmail === null ? `response ${String(row['event_id'])} ${String(row['id'])}` : `key ${ofEmail}`,
      rsvp,
      meaning,
      isReply: rsvp !== null || kind === 'reply' || kind === 'bare',
      payment:
        payment === undefined
          ? null
          : { amount: text(payment['amount']), processing_fee: text(payment['processing_fee']) },
      slots: taken,
      people: peopleOf(kind, rsvp, meaning, text(row['quantity']), taken.length),
    }
  })
}

const sumPeople = (responses: readonly Counted[]) => responses.reduce((sum, { people }) => sum + people, 0n)

/** Rule 9, for the responses of one person to one event. */
export function expectedOf(responses: readonly Counted[]): bigint {
  const coming = sumPeople(responses.filter(({ isReply, meaning }) => isReply && meaning === 'coming'))
  const paying = sumPeople(
    responses.filter(
      ({ payment, meaning }) =>
        payment !== null && !payment.amount?.startsWith('-') && meaning !== 'not_coming',
    ),
  )
  const signedUp = responses.some(({ slots, meaning }) => slots.length > 0 && meaning !== 'not_coming')
    ? 1n
    : 0n
  return [coming, paying, signedUp].reduce((most, figure) => (figure > most ? figure : most))
}

/** People of the replies with a meaning. */
export function peopleMeaning(responses: readonly Counted[], wanted: string): string {
  return String(sumPeople(responses.filter(({ isReply, meaning }) => isReply && meaning === wanted)))
}

export const totalPeople = (responses: readonly Counted[]) => String(sumPeople(responses))

/** Counts that both views of payments have. */
export function paymentCounts(paying: readonly Counted[]) {
  const amounts = paying.map(({ payment }) => payment?.amount ?? null)
  return {
    payments: String(paying.length),
    without_amount: String(amounts.filter((amount) => amount === null).length),
    negative: String(amounts.filter((amount) => amount !== null && parseDecimal(amount) < 0n).length),
  }
}
