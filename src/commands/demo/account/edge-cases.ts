import { shapeOf, type SampleEvent, type SampleResponse, type Shape } from './items.ts'
import type { EventState } from './event-state.ts'

/**
 * Makes a few items odd in ways that the spec leaves open: fields that are missing, null or not named in the
 * spec, an amount as a JSON number, an empty `slots`, marks of two shapes. All can be mirrored whole. Only
 * the oldest lists have them, which the steps of the account never touch.
 */
export function addEdgeCases(sheets: EventState[]): void {
  const oldest = sheets.toSorted((a, b) => a.startsAt - b.startsAt)
  changeEvent(oldest, 'film-evening', ({ ...event }) => {
    delete event.description
    return event
  })
  changeEvent(oldest, 'story-night', (event) => ({ ...event, location: null }))
  changeEvent(oldest, 'choir-concert', (event) => ({ ...event, capacity: 240 }))

  changeResponse(oldest, 'reply', 0, ({ ...response }) => {
    delete response.email
    return response
  })
  changeResponse(oldest, 'reply', 1, (response) => ({ ...response, message: null }))
  changeResponse(oldest, 'reply', 2, ({ ...response }) => {
    delete response.quantity
    return response
  })
  changeResponse(oldest, 'reply', 3, (response) => ({ ...response, source: 'import' }))
  changeResponse(oldest, 'payment', 0, (response) => ({ ...response, amount: Number(response.amount) }))
  changeResponse(oldest, 'payment', 1, ({ ...response }) => {
    delete response.processing_fee
    return response
  })
  changeResponse(oldest, 'payment', 2, (response) => ({ ...response, seating: { row: 'F', seat: 12 } }))
  changeResponse(oldest, 'payment', 3, (response) => ({ ...response, rsvp: 'yes' }))
  changeResponse(oldest, 'signup', 0, (response) => ({ ...response, quantity: null }))
  changeResponse(oldest, 'signup', 1, (response) => ({ ...response, slots: [] }))
}

function changeEvent(oldest: EventState[], slug: string, change: (event: SampleEvent) => SampleEvent): void {
  const sheet = oldest.find((sheet) => sheet.series.slug === slug)
  if (sheet !== undefined) sheet.event = change(sheet.event)
}

/** Changes the `turn`-th response (from 0) of that shape in the oldest list that has it. */
function changeResponse(
  oldest: EventState[],
  shape: Shape,
  turn: number,
  change: (response: SampleResponse) => SampleResponse,
): void {
  const list = oldest.find(({ responses }) =>
    responses.some((response) => shapeOf(response) === shape),
  )?.responses
  const indexes = list?.flatMap((response, index) => (shapeOf(response) === shape ? [index] : []))
  const index = indexes?.[turn]
  const response = index === undefined ? undefined : list?.[index]
  if (list !== undefined && index !== undefined && response !== undefined) list[index] = change(response)
}
