import { describe, expect, test } from 'vitest'
import { response, responsesOf } from '../../support/accounts/normalising.ts'

const slot = { name: 'Bar', start_date: '2024-05-01T10:00:00+02:00', end_date: '2024-05-01T12:00:00+02:00' }

describe('the kind of a response follows from its own fields', () => {
  test.each([
    ['rsvp', { rsvp: 'yes' }, 'reply'],
    ['rsvp and quantity', { rsvp: 'yes', quantity: 2 }, 'reply'],
    ['an empty rsvp', { rsvp: '' }, 'reply'],
    ['another value of rsvp', { rsvp: 'maybe' }, 'reply'],
    ['an rsvp that is set aside', { rsvp: 5 }, 'reply'],
    ['amount', { amount: '12.50' }, 'payment'],
    ['processing_fee', { processing_fee: '0.75' }, 'payment'],
    ['amount and processing_fee', { amount: '12.50', processing_fee: '0.75' }, 'payment'],
    ['an amount that is set aside', { amount: 'abc' }, 'payment'],
    ['an empty amount', { amount: '' }, 'payment'],
    ['a fee that is set aside', { processing_fee: {} }, 'payment'],
    ['slots', { slots: [slot] }, 'signup'],
    ['slots and quantity', { slots: [slot], quantity: 1 }, 'signup'],
    ['a slot without fields', { slots: [{}] }, 'signup'],
    ['slots that are set aside', { slots: {} }, 'signup'],
    ['slots with an element that is no object', { slots: [slot, null] }, 'signup'],
    ['no slots', { slots: [] }, 'signup'],
    ['no slots and quantity', { slots: [], quantity: 1 }, 'signup'],
    ['quantity alone', { quantity: 2 }, 'reply'],
    ['a quantity of 0', { quantity: 0 }, 'reply'],
    ['a quantity that is set aside', { quantity: 'many' }, 'reply'],
    ['none of all', { name: 'Anna' }, 'bare'],
    ['only nulls', { rsvp: null, amount: null, processing_fee: null, slots: null, quantity: null }, 'bare'],
    ['rsvp and nulls', { rsvp: 'yes', amount: null, slots: null }, 'reply'],
    ['amount beside quantity', { amount: '1.00', quantity: 1 }, 'payment'],
    ['rsvp and amount', { rsvp: 'yes', amount: '1.00' }, 'mixed'],
    ['rsvp and slots', { rsvp: 'yes', slots: [slot] }, 'mixed'],
    ['P18 amount and slots', { amount: '1.00', slots: [slot] }, 'mixed'],
    ['marks that are both set aside', { amount: 'abc', slots: 'abc' }, 'mixed'],
    ['rsvp beside no slots', { rsvp: 'yes', slots: [] }, 'reply'],
    ['amount beside no slots', { amount: '1.00', slots: [] }, 'payment'],
    ['rsvp and amount beside no slots', { rsvp: 'yes', amount: '1.00', slots: [] }, 'mixed'],
    ['a field named like one of Object', { constructor: 'x' }, 'bare'],
  ])('%s', (_, fields, kind) => {
    expect(response(fields).kind).toBe(kind)
  })
})

test('a payment is there exactly when the response is marked as one, also when both its amounts were set aside', () => {
  expect(response({ amount: '12.50' }).payment).toEqual({ amount: '12.50', processing_fee: null })
  expect(response({ processing_fee: '0.75' }).payment).toEqual({ amount: null, processing_fee: '0.75' })
  expect(response({ amount: 'abc', processing_fee: [] }).payment).toEqual({
    amount: null,
    processing_fee: null,
  })
  expect(response({ amount: null, processing_fee: null }).payment).toBeNull()
  expect(response({ rsvp: 'yes' }).payment).toBeNull()
})

test('P18 a response with amount and slots has its payment and its slots', () => {
  const row = response({ amount: '12.50', processing_fee: '0.75', quantity: 1, slots: [slot] })
  expect(row).toMatchObject({
    kind: 'mixed',
    quantity: '1',
    payment: { amount: '12.50', processing_fee: '0.75' },
  })
  expect(row.slots).toHaveLength(1)
})

test('P16 `slots: []` beside another mark counts as absent and leaves nothing behind', () => {
  expect(response({ rsvp: 'yes', slots: [] })).toEqual(response({ rsvp: 'yes' }))
  expect(responsesOf({ id: 1, rsvp: 'yes', slots: [] }).setAside).toBe(0)
})
