/** A small `npm run floods`: the process that serves, clients in another one, and the account that wants its lists. */
import { expect, inject, test } from 'vitest'
import { floodWithSlowReaders } from '../../../floods/slow-readers.ts'
import { freshPlace } from '../../../support/databases/databases.ts'

test('X9 hundreds that read nothing, or 64 bytes every 10 s, take bounded memory, and another account gets every list', async () => {
  await using place = await freshPlace('postgres')
  const { memory, waited, missed, statuses } = await floodWithSlowReaders({
    command: inject('command'),
    database: place.url,
    clients: 250,
    accounts: 1,
    seconds: 3,
  })
  expect(missed).toEqual([])
  expect([...waited.keys()]).toEqual(['small', 'whole', 'large'])
  expect(statuses['200']).toBeGreaterThan(0)
  // Of lists of 1.8 MB there are 200 to be had.
  expect(memory.peak - memory.before).toBeLessThan(150)
})
