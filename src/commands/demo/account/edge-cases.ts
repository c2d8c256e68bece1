import type { EventState } from './event-state.ts'
import { shapeOf, type SampleEvent, type SampleResponse, type Shape } from './items.ts'

const oddEvents: readonly (readonly [slug: string, Partial<SampleEvent>])[] = [
  ['film-evening', { description: undefined }],
  ['story-night', { location: null }],
  ['choir-concert', { capacity: 240 }],
]

const oddResponses: readonly (readonly [Shape, ...Partial<SampleResponse>[]])[] = [
  ['reply', { email: undefined }, { message: null }, { quantity: undefined }, { source: 'import' }],
  [
    'payment',
    { amount: 12.5 },
    { processing_fee: undefined },
    { seating: { row: 'F', seat: 12 } },
    { rsvp: 'yes' },
  ],
  ['signup', { quantity: null }, { slots: [] }],
]

/**
 * Makes a few items odd in ways that the spec leaves open: fields that are missing, null or not named in the
 * spec, an amount as a JSON number, an empty `slots`, marks of two shapes. All can be mirrored whole. Only
 * the oldest lists have them, which the steps of the account never touch.
 */
export function addEdgeCases(events: readonly EventState[]): void {
  const oldest = events.toSorted((a, b) => a.startsAt - b.startsAt)
  for (const [slug, change] of oddEvents) {
    const state = oldest.find(({ series }) => series.slug === slug)
    if (state !== undefined) state.event = { ...state.event, ...change }
  }
  for (const [shape, ...changes] of oddResponses) {
    const hasShape = (response: SampleResponse) => shapeOf(response) === shape
    const list = oldest.find(({ responses }) => responses.some(hasShape))?.responses ?? []
    for (const [index, response] of list.filter(hasShape).slice(0, changes.length).entries()) {
      list[list.indexOf(response)] = { ...response, ...changes[index] }
    }
  }
}
