/** How a list is read from the mirror: at once, or piece by piece while it is sent. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { sync } from '../../../../src/index.ts'
import { readList } from '../../../../src/server/stores/mirror/list.ts'
import { createLargeListSlots } from '../../../../src/server/stores/mirror/large-list-slots.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import { freshPlace } from '../../../support/databases/databases.ts'
import { send, startFaultServer } from '../../../support/http/fault-server.ts'
import { openPool } from '../../../support/databases/pools.ts'
import { testKey } from '../../../support/http/reading.ts'

/** Reads a list of so many responses; tells how it began, how many statements that took, and what it is. */
async function readOf(responses: number) {
  await using place = await freshPlace('postgres')
  const account = accountOf({ gala: 0 })
  await using service = await startFaultServer()
  service.always(send((request) => account.answer(request)))
  await sync({ database: place.url, apiKey: testKey, baseUrl: service.baseUrl.href })
  const pool = openPool(place.url)
  let statements = 0
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    Reflect.set(client, 'query', (...args: unknown[]) => ((statements += 1), query(...args)))
  })
  await using database = await connect({ pool })
  await pool.query(
    `insert into headcount.responses (account_id, event_id, id, kind, name, message, _run_id)
     select 1, 'gala', number, 'bare', 'Guest', repeat('ж', 100), 1 from generate_series(1, $1::int) as number`,
    [responses],
  )
  const asked = { account: 1, list: 'gala', requester: { account: '1', key: '1' } }
  statements = 0
  const read = await readList(database, createLargeListSlots(2), asked, { after: null, limit: null })
  if (read === undefined) throw new Error('The list is there.')
  const begun = { isWhole: read.isWhole, statements }
  const texts: string[] = []
  for await (const text of read.chunks) texts.push(text)
  await read[Symbol.asyncDispose]()
  await pool.end()
  const items = JSON.parse(`[${texts.join(',')}]`) as { id: number }[]
  return { begun, ids: items.map(({ id }) => id) }
}

describe('a list of the mirror', () => {
  test('of a few items is read in one transaction of two statements', async () => {
    const { begun, ids } = await readOf(100)
    // With the end of the transaction, which begins with the first of them.
    expect(begun).toEqual({ isWhole: true, statements: 3 })
    expect(ids).toHaveLength(100)
  })

  test('of a few thousand items is read at once, in pieces that follow each other', async () => {
    const { begun, ids } = await readOf(4_000)
    expect(begun.isWhole).toBe(true)
    expect(ids).toEqual(Array.from({ length: 4_000 }, (_, place) => place + 1))
  })

  test('of more is begun after its first piece: nobody waits until it is seen how large it is', async () => {
    const { begun, ids } = await readOf(30_000)
    // How the list stands, the first piece, and whether many more follow.
    expect(begun).toEqual({ isWhole: false, statements: 3 })
    expect(ids).toEqual(Array.from({ length: 30_000 }, (_, place) => place + 1))
  })
})
