/** Which observations of an account are told apart, and what of them is news. */
import { describe, expect, test } from 'vitest'
import type { ObservationKind, Observation } from '../../../src/common/schema/tables.ts'
import { ObservationSet } from '../../../src/sync/drift/observation-set.ts'
import { driftWarnings, firstSeen } from '../../../src/sync/drift/warnings.ts'

const of = (path: string, kind: ObservationKind, value: string): Observation => ({ path, kind, value })
const rsvp = (value: string) => of('response.rsvp', 'value', value)
const many = (count: number, from = 0) => Array.from({ length: count }, (_, at) => rsvp(`v${from + at}`))

test('at most a hundred values of one path and kind are told apart; the rest is one', () => {
  const known = new ObservationSet(many(98))
  const kept = [...many(5, 98), rsvp('v0'), of('event', 'unknown_field', 'a')].map((one) => known.add(one))
  const others = [1, 2, 3].map(() => rsvp('(others)'))
  expect(kept).toEqual([rsvp('v98'), rsvp('v99'), ...others, rsvp('v0'), of('event', 'unknown_field', 'a')])
  expect([...known]).toHaveLength(102)
  expect([...new ObservationSet([rsvp('(others)'), ...many(101)])]).toHaveLength(101)
})

describe('news', () => {
  const begun = [of('reply.id', 'sent', 'value'), of('event.id', 'sent', 'value')]

  test('is a value, a field, a form, a header that never came before', () => {
    const news = firstSeen(begun, [
      rsvp('waitlist'),
      of('event.event_type', 'value', 'raffle'),
      of('slot', 'unknown_field', 'room'),
      of('response.created_at', 'time_form', 'YYYY-MM-DDTHH:MM:SS.sssZ'),
      of('response.amount', 'sent_as', 'number'),
      of('response', 'duplicate_key', 'name'),
      of('responses', 'header', 'x-ratelimit-limit'),
      rsvp('(not kept)'),
    ])
    expect(driftWarnings(news)).toEqual([
      '`rsvp` = `waitlist` seen for the first time in a response',
      '`event_type` = `raffle` seen for the first time in an event',
      'a field of the slot that the specification does not name, `room`, seen for the first time in a slot',
      '`created_at` in the form `YYYY-MM-DDTHH:MM:SS.sssZ` seen for the first time in a response',
      '`amount` sent as `number` seen for the first time in a response',
      'a key that stands twice in one object, `name`, seen for the first time in a response',
      'the header `x-ratelimit-limit` of lists of responses seen for the first time',
      '`rsvp` = a value that is not kept (long, or personal), seen for the first time in a response',
    ])
  })

  test('is nothing that the specification shows, and nothing of what may be absent', () => {
    const specified = [
      rsvp('yes'),
      of('event.event_type', 'value', 'rsvp'),
      of('response.updated_at', 'time_form', 'YYYY-MM-DDTHH:MM:SSZ'),
      of('slot.start_date', 'time_form', 'YYYY-MM-DDTHH:MM:SS±HH:MM'),
      of('reply.name', 'sent', 'null'),
      of('responses', 'status', '429'),
    ]
    expect(firstSeen(begun, specified)).toEqual([])
  })

  test('is nothing that a finished run has counted', () => {
    expect(firstSeen([...begun, rsvp('no')], [rsvp('no'), rsvp('maybe')])).toEqual([rsvp('maybe')])
  })

  test('is nothing of a resource of which nothing was observed before', () => {
    const added = [rsvp('waitlist'), of('event.event_type', 'value', 'raffle')]
    expect(firstSeen([], added)).toEqual([])
    expect(firstSeen([of('ping', 'status', '200')], added)).toEqual([])
    expect(firstSeen([of('event.id', 'sent', 'value')], added)).toEqual([added[1]])
    expect(firstSeen([of('slot.name', 'sent', 'value')], added)).toEqual([added[0]])
  })

  test('is told in ten lines at most', () => {
    const lines = driftWarnings(many(25))
    expect(lines).toHaveLength(11)
    expect(lines[10]).toBe(
      '… and 15 more things seen for the first time; npx --no -- headcount observations lists them',
    )
  })
})
