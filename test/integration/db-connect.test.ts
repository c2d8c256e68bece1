import { expect, test } from 'vitest'
import { onBoth } from '../support/databases.ts'

onBoth('a transaction', (fresh) => {
  test('commits what its work did', async () => {
    await using mirror = await fresh()

    await mirror.database.transaction(async (trx) => {
      await trx.kysely.insertInto('headcount.accounts').values({ name: 'a' }).execute()
    })
    const rows = await mirror.database.kysely
      .selectFrom('headcount.accounts')
      .select(['id', 'name'])
      .execute()
    expect(rows).toEqual([{ id: 1, name: 'a' }])
  })
  test('commits what its work did2', async () => {
    await using mirror = await fresh()

    await mirror.database.transaction(async (trx) => {
      await trx.kysely.insertInto('headcount.accounts').values({ name: 'a' }).execute()
    })
  })
})
