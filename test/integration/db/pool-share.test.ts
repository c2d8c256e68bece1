import { expect, onTestFinished, test, vi } from 'vitest'
import { sql } from 'kysely'
import { connect } from '../../../src/db/connect.ts'
import { freshPlace } from '../../support/databases/databases.ts'

test('a share of a pool never has more connections than its number, and waits for no other share', async () => {
  const place = await freshPlace('postgres')
  onTestFinished(() => place[Symbol.asyncDispose]())
  await using database = await connect(place.url, { connections: 6 })
  if (database.reserve === undefined) throw new Error('Postgres has shares')
  const busy = database.reserve(3)
  const other = database.reserve(3)
  const released = Promise.withResolvers<void>()
  let begun = 0
  const transactions = Array.from({ length: 8 }, () =>
    busy.transaction(async (trx) => {
      await trx.query('select 1')
      begun += 1
      await released.promise
    }),
  )
  // Each of these has its connection at once, whatever waits in the other share.
  for (const _ of Array.from({ length: 5 })) await sql`select 1`.execute(other.kysely)
  await vi.waitFor(() => expect(begun).toBe(3), { timeout: 30_000 })
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
     where datname = current_database() and state = 'idle in transaction'`.execute(other.kysely)
  expect([begun, rows[0]?.count]).toEqual([3, 3])
  released.resolve()
  await Promise.all(transactions)
  expect(begun).toBe(8)
})

test('closing a share ends a statement that nobody waits for, and leaves the pool to the others', async () => {
  const place = await freshPlace('postgres')
  onTestFinished(() => place[Symbol.asyncDispose]())
  await using database = await connect(place.url, { connections: 4 })
  const watching = database.reserve?.(1)
  const share = database.reserve?.(3)
  if (share === undefined || watching === undefined) throw new Error('Postgres has shares')
  const hanging = Promise.allSettled(
    Array.from({ length: 4 }, () => sql`select pg_sleep(60)`.execute(share.kysely)),
  )
  await vi.waitFor(
    async () => {
      const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
       where datname = current_database() and query like '%pg_sleep(60)' and state = 'active'`.execute(
        watching.kysely,
      )
      expect(rows[0]?.count).toBe(3)
    },
    { timeout: 30_000 },
  )
  await share.close()
  const ends = await hanging
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected'])
  await using next = database.reserve?.(3) ?? share
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(next.kysely)
  expect(rows).toEqual([{ one: 1 }])
})
