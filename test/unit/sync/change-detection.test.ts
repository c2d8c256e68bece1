import { expect, test } from 'vitest'
import { NORMALISER_VERSION } from '../../../src/normalise/version.ts'
import { compareDigest } from '../../../src/sync/fetch/change-detection.ts'

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
  ['another body, an older normaliser', { digest: 'another', normaliser_version: older }, 'other'],
  [
    'a digest under another version than it says',
    { digest: `body under ${older}`, normaliser_version: NORMALISER_VERSION },
    'other',
  ],
])('%s', (_, stored, verdict) => {
  expect(compareDigest(reading, stored)).toBe(verdict)
})
