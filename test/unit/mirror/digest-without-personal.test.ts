/** What a digest tells those who must not see personal data. */
import { expect, test } from 'vitest'
import type { AccountDigest, ChangedField } from '../../../src/mirror/answers/digest/digest.ts'
import { withoutPersonalData } from '../../../src/mirror/answers/digest/without-personal.ts'

function toldOf(fields: readonly ChangedField[]): readonly ChangedField[] {
  const none = { total: '0', items: [], query: '' }
  const digest = {
    events_changed: none,
    responses_withdrawn: none,
    responses_new: none,
    responses_changed: { ...none, items: [{ name: 'Ada', fields }] },
  } as unknown as AccountDigest
  return withoutPersonalData(digest).responses_changed.items[0]?.fields ?? []
}

test.each<ChangedField>([
  { field: 'quantity', before: 1, now: 12 },
  { field: 'quantity', before: null, now: '9223372036854775807' },
  { field: 'amount', before: '7.00', now: '-7.5' },
  { field: 'rsvp', before: 'yes', now: null },
  { field: 'created_at', before: '2026-11-20T08:00:00Z', now: '2026-11-20T08:00:00.5Z' },
])('a value that fits its column is told: %j', (field) => {
  expect(toldOf([field])).toEqual([field])
})

test.each<ChangedField>([
  { field: 'quantity', before: 1, now: 'Ada and two' },
  { field: 'amount', before: 'paid by Ada', now: '7.00' },
  { field: 'rsvp', before: 'yes', now: { by: 'Ada' } },
  { field: 'created_at', before: null, now: 'asked by Ada' },
  { field: 'name', before: 'Ada', now: 'Ada L.' },
  { field: 'phone', before: '1', now: '2' },
  // A column that the service does not send.
  { field: 'kind', before: 'with Ada', now: null },
])('any other is withheld: %j', (field) => {
  expect(toldOf([field])).toEqual([{ field: field.field, before: null, now: null, is_withheld: true }])
})

test('of slots, what fits is told', () => {
  const slots = [{ name: 'Bar', start_date: 'ask Ada', who: 'Ada' }, 'Ada', { name: { by: 'Ada' } }]
  expect(toldOf([{ field: 'slots', before: null, now: slots }])).toEqual([
    { field: 'slots', before: null, now: [{ name: 'Bar' }, null, {}] },
  ])
})
