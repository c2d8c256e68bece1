import { expect, test } from 'vitest'
import { capacityOf } from '../../../../src/orchestration/run-pool/capacity.ts'

test.each([
  [{}, { runs: 4, connections: 12 }],
  [{ runs: 10 }, { runs: 10, connections: 30 }],
  [{ connections: 3 }, { runs: 1, connections: 3 }],
  [{ connections: 5 }, { runs: 1, connections: 5 }],
  [{ connections: 24 }, { runs: 8, connections: 24 }],
  [
    { connections: 7, runs: 8 },
    { runs: 2, connections: 7 },
  ],
  [{ poolSize: 3 }, { runs: 1, connections: 3 }],
  [
    { poolSize: 30, runs: 2 },
    { runs: 2, connections: 6 },
  ],
  [
    { poolSize: 10, connections: 20 },
    { runs: 3, connections: 10 },
  ],
])('%j: three connections for each run', (given, expected) => {
  expect(capacityOf(given)).toEqual(expected)
})

test.each([
  [
    { connections: 2 },
    '`connections` must be a whole number from 3 to 10000, not 2: a run needs two for batches',
  ],
  [{ connections: 4.5 }, '`connections` must be a whole number from 3'],
  [{ runs: 0 }, '`runs` must be a whole number from 1 to 256, not 0'],
])('%j is refused', (given, message) => {
  expect(() => capacityOf(given)).toThrow(message)
})
