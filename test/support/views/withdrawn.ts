/** Responses that are not live, by the last version that history has of them. */
import { meaningOf, peopleOf } from './counted-responses.ts'
import { byTime, earliest, text, type Moment } from './mirror-rows.ts'
import type { Row } from './read-views.ts'

export interface Withdrawn {
  readonly event_id: string
  readonly createdAt: string
  readonly withdrawnAt: string
  readonly people: bigint
  readonly slots: readonly Row[]
}

export function lastVersions(moment: Moment, account: number): readonly Withdrawn[] {
  const live = new Set(
    moment
      .table('responses')
      .filter(({ account_id }) => account_id === account)
      .map(({ event_id, id }) => JSON.stringify([event_id, id])),
  )
  const versions = moment.table('response_history').filter(({ account_id }) => account_id === account)
  return [
    ...Map.groupBy(versions, ({ event_id, response_id }) => JSON.stringify([event_id, response_id])),
  ].flatMap(([key, list]) => {
    const last = list.toSorted(inOrder).at(-1)
    if (live.has(key) || last?.['operation'] !== 'delete') return []
    const document = Object(last['document']) as Row
    const seen = earliest(list.map((row) => text(row['valid_from'])))
    const created = text(document['created_at'])
    const slots = slotsOf(document)
    const rsvp = text(document['rsvp'])
    return {
      event_id: String(last['event_id']),
      createdAt: created !== null && isInstant(created) ? created : String(seen),
      withdrawnAt: String(last['valid_to']),
      people: peopleOf(kindOf(document), rsvp, meaningOf(moment, rsvp), quantityOf(document), slots.length),
      slots,
    }
  })
}

const isInstant = (value: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/.test(value)

/** By the end of the version, and where a clock was set back by the run. */
function inOrder(a: Row, b: Row): number {
  return (
    byTime(text(a['valid_to']), text(b['valid_to'])) ||
    Number(a['ended_by_run_id']) - Number(b['ended_by_run_id'])
  )
}

function quantityOf(document: Row): string | null {
  const { quantity } = document
  if (typeof quantity === 'bigint') return String(quantity)
  if (typeof quantity === 'number' && Number.isInteger(quantity)) return String(quantity)
  if (quantity !== null && typeof quantity === 'object') return JSON.stringify(quantity)
  return null
}

/** The marks of a reply, a payment and a sign-up; more than one is mixed. */
function kindOf(document: Row): string {
  const has = (field: string) => document[field] !== undefined && document[field] !== null
  const isPaid = has('amount') || has('processing_fee')
  const { slots } = document
  const isTaken = has('slots') && !(Array.isArray(slots) && slots.length === 0)
  if (Number(has('rsvp')) + Number(isPaid) + Number(isTaken) > 1) return 'mixed'
  if (has('rsvp')) return 'reply'
  if (isPaid) return 'payment'
  if (has('slots')) return 'signup'
  return has('quantity') ? 'reply' : 'bare'
}

/** Slots of a document, when all of them are objects. */
function slotsOf({ slots }: Row): readonly Row[] {
  if (!Array.isArray(slots)) return []
  const items: readonly unknown[] = slots
  const objects = items.filter((slot) => slot !== null && typeof slot === 'object' && !Array.isArray(slot))
  return objects.length === items.length ? (objects as readonly Row[]) : []
}
