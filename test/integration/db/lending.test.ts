/** The Postgres databases that a test leaves to the next one. */
import { expect, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { lendPostgres } from '../../support/databases/lending.ts'
import { change } from '../../support/databases/older-schema.ts'

async function lendOnce(use: (url: string) => Promise<void> = async () => {}): Promise<string> {
  await using lent = await lendPostgres()
  expect((await lent.pool.query('select from headcount.accounts')).rowCount).toBe(0)
  await use(lent.url)
  return lent.url
}

const changeAt = async (url: string, statement: string) => {
  await using database = await connect(url)
  await change(database, [statement])
}

test('is emptied', async () => {
  const first = await lendOnce((url) =>
    changeAt(url, `insert into headcount.accounts (name) values ('choir')`),
  )
  expect(await lendOnce()).toBe(first)
})

test('is left to nobody when it has another schema', async () => {
  const rule = `do $$ begin execute 'create or replace view headcount.run_summary as ' || pg_get_viewdef('headcount.run_summary'::regclass); end $$`
  const first = await lendOnce((url) => changeAt(url, rule))
  expect(await lendOnce()).not.toBe(first)
})

test('is left to nobody while somebody still uses it', async () => {
  await using left = new AsyncDisposableStack()
  const first = await lendOnce(async (url) => void left.use(await connect(url)))
  expect(await lendOnce()).not.toBe(first)
})
