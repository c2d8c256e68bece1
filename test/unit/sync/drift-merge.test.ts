/** What a run adds to the observations of its account, and what of it is news. */
import { describe, expect, test } from 'vitest'
import type { ObservationKind, Observation } from '../../../src/common/schema/tables.ts'
import { driftWarnings, firstSeen } from '../../../src/sync/drift/warnings.ts'
import { mergeObservations } from '../../../src/sync/drift/merge.ts'

const rsvp = (value: string, seen = 1): Observation => ({
  path: 'response.rsvp',
  kind: 'value',
  value,
  count: seen,
})
const of = (path: string, kind: ObservationKind, value: string, count = 1): Observation => ({
  path,
  kind,
  value,
  count,
})
const many = (count: number, from = 0) => Array.from({ length: count }, (_, at) => rsvp(`v${from + at}`))

describe('what a run adds', () => {
  test('of lists that were new or had changed: everything', () => {
    const settled = mergeObservations([rsvp('yes')], [rsvp('yes', 3), rsvp('no', 2)], [])
    expect(settled).toEqual({ rows: [rsvp('yes', 3), rsvp('no', 2)], added: [rsvp('no', 2)] })
  })

  test('of lists read again as they were: only what is not known yet', () => {
    const settled = mergeObservations(
      [rsvp('yes')],
      [rsvp('no', 2)],
      [rsvp('yes', 9), rsvp('no'), rsvp('maybe')],
    )
    expect(settled.rows).toEqual([rsvp('no', 3), rsvp('maybe')])
    expect(mergeObservations([rsvp('yes')], [], [rsvp('yes', 9)])).toEqual({ rows: [], added: [] })
  })

  test('at most a hundred values of one fact, with those known before; the rest as one, of others again', () => {
    const { rows, added } = mergeObservations(many(98), [...many(5, 98), rsvp('v0')], [])
    expect(rows).toEqual([rsvp('v98'), rsvp('v99'), rsvp('(others)', 3), rsvp('v0')])
    expect(added).toEqual([rsvp('v98'), rsvp('v99'), rsvp('(others)', 3)])
    const full = [...many(100), rsvp('(others)')]
    expect(mergeObservations(full, [], many(3, 200)).rows).toEqual([])
    expect(mergeObservations(full, [of('event', 'unknown_field', 'a')], []).rows).toHaveLength(1)
  })
})

describe('news', () => {
  const begun = [of('reply.id', 'sent', 'value'), of('event.id', 'sent', 'value')]

  test('is a value, a field, a form, a header that never came before', () => {
    const news = firstSeen(begun, [
      rsvp('waitlist', 3),
      of('event.event_type', 'value', 'raffle'),
      of('slot', 'unknown_field', 'room', 2),
      of('response.created_at', 'time_form', 'YYYY-MM-DDTHH:MM:SS.sssZ', 1),
      of('response.amount', 'sent_as', 'number', 5),
      of('response', 'duplicate_key', 'name'),
      of('responses', 'header', 'x-ratelimit-limit', 12),
      rsvp('(not kept)', 2),
    ])
    expect(driftWarnings(news)).toEqual([
      '`rsvp` = `waitlist` seen for the first time in 3 responses',
      '`event_type` = `raffle` seen for the first time in 1 event',
      'a field of the slot that the specification does not name, `room`, seen for the first time in 2 slots',
      '`created_at` in the form `YYYY-MM-DDTHH:MM:SS.sssZ` seen for the first time in 1 response',
      '`amount` sent as `number` seen for the first time in 5 responses',
      'a key that stands twice in one object, `name`, seen for the first time in 1 response',
      'the header `x-ratelimit-limit` seen for the first time in 12 answers to requests for responses',
      '`rsvp` = a value that is not kept (long, or personal), seen for the first time in 2 responses',
    ])
  })

  test('is nothing that the specification shows, and no count of what may be absent', () => {
    const specified = [
      rsvp('yes'),
      of('event.event_type', 'value', 'rsvp'),
      of('response.updated_at', 'time_form', 'YYYY-MM-DDTHH:MM:SSZ'),
      of('slot.start_date', 'time_form', 'YYYY-MM-DDTHH:MM:SS±HH:MM'),
      of('slot.start_date', 'time_offset', '+02:00'),
      of('reply.name', 'sent', 'null'),
      of('responses', 'status', '429'),
    ]
    expect(firstSeen(begun, specified)).toEqual([])
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
