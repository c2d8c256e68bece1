import { expect, test } from 'vitest'
import { NORMALISER_VERSION } from '../../../src/normalise/version.ts'
import {
  compareDigest,
  etagContradictsContent,
  etagToSend,
} from '../../../src/sync/fetch/change-detection.ts'

const older = NORMALISER_VERSION - 1
const reading = { digest: (normaliser: number) => `body under ${normaliser}` }

test.each([
  ['nothing is stored', undefined, 'other'],
  ['its digest was withheld', { digest: null, normaliser_version: NORMALISER_VERSION }, 'other'],
  ['the version is unknown', { digest: 'body under 1', normaliser_version: null }, 'other'],
  [
    'the same body',
    { digest: `body under ${NORMALISER_VERSION}`, normaliser_version: NORMALISER_VERSION },
    'same',
  ],
  ['another body', { digest: 'another', normaliser_version: NORMALISER_VERSION }, 'other'],
  [
    'the same body, an older normaliser',
    { digest: `body under ${older}`, normaliser_version: older },
    'renormalised',
  ],
  [
    'the same body, of which personal data are to come back',
    {
      digest: `body under ${NORMALISER_VERSION}`,
      normaliser_version: NORMALISER_VERSION,
      retention: 'restored',
    },
    'renormalised',
  ],
  ['another body, an older normaliser', { digest: 'another', normaliser_version: older }, 'other'],
  [
    'a digest under another version than it says',
    { digest: `body under ${older}`, normaliser_version: NORMALISER_VERSION },
    'other',
  ],
] as const)('%s', (_, stored, verdict) => {
  expect(compareDigest(reading, stored)).toBe(verdict)
})

const now = '2026-05-02T12:00:00.000Z'
const stored = {
  digest: 'd1',
  normaliser_version: NORMALISER_VERSION,
  etag: '"v1"',
  last_full_read_at: '2026-05-02T11:00:00.000Z',
  held_deletions: [],
}
const held = [{ since: now, reason: 'list_empty', ids: ['1'] }] as const

test.each([
  ['of a list that was read an hour ago', stored, '"v1"'],
  [
    'until 24 hours after the list was read whole',
    { ...stored, last_full_read_at: '2026-05-01T12:00:00.001Z' },
    '"v1"',
  ],
  ['not from then on', { ...stored, last_full_read_at: '2026-05-01T12:00:00.000Z' }, null],
  [
    'O6 not when it was read in the future',
    { ...stored, last_full_read_at: '2026-05-02T12:00:00.001Z' },
    null,
  ],
  ['not when the list was never read whole', { ...stored, last_full_read_at: null }, null],
  ['not while something of the list is held', { ...stored, held_deletions: held }, null],
  ['not without a digest: the list is not in the mirror', { ...stored, digest: null }, null],
  [
    'not when another version of ours made the rows',
    { ...stored, normaliser_version: NORMALISER_VERSION - 1 },
    null,
  ],
  ['not when personal data are to come back', { ...stored, retention: 'restored' as const }, null],
  ['of a list whose personal data are forgotten', { ...stored, retention: 'forgotten' as const }, '"v1"'],
  ['none of a list that has none', { ...stored, etag: null }, null],
  ['none of a list never heard of', undefined, null],
])('a validator is trusted: %s', (_, state, expected) => {
  expect(etagToSend(state, now)).toBe(expected)
})

test.each([
  ['the same validator with another list', { etag: '"v1"', digest: () => 'd2' }, true],
  ['the same with the same', { etag: '"v1"', digest: () => 'd1' }, false],
  ['another with another', { etag: '"v2"', digest: () => 'd2' }, false],
  ['none with another', { etag: null, digest: () => 'd2' }, false],
])('H20 %s: the service contradicts itself or not', (_, reading, expected) => {
  expect(etagContradictsContent(reading, stored)).toBe(expected)
})

test('a list of which nothing is known contradicts nothing', () => {
  expect(etagContradictsContent({ etag: '"v1"', digest: () => 'd2' }, undefined)).toBe(false)
  expect(etagContradictsContent({ etag: '"v1"', digest: () => 'd2' }, { ...stored, digest: null })).toBe(
    false,
  )
})
