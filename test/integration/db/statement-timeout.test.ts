/** Statements that compute for longer than they may: on PGlite they keep this very thread. */
import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { codeOf } from '../../../src/db/errors/sqlstate.ts'
import { startStatementTimeout } from '../../../src/db/pglite/statement-timeout.ts'
import { engines, freshMirror } from '../../support/databases/databases.ts'
import { lendPglite } from '../../support/databases/lending.ts'

/** Each ends by itself after seconds, so that a test fails and does not hang when nobody ends it. */
const computing = [
  'select count(*) from generate_series(1, 5e7::bigint)',
  'with recursive t (n) as (select 1 union all select n + 1 from t where n < 3e7) select count(*) from t',
  'select count(*) from generate_series(1, 20000) a, generate_series(1, 20000) b where a <> b',
  'select pg_sleep(20)',
  'select length(string_agg(md5(i::text), null)) from generate_series(1, 1e7::bigint) i',
  'explain analyze select count(*) from generate_series(1, 5e7::bigint)',
]

describe.each(engines)('D24 a statement that computes for long (%s)', (engine) => {
  test('is ended when its time is over, and what was written stays exact', async () => {
    await using mirror = await freshMirror(engine)
    const { database } = mirror
    await database.transaction((trx) => trx.query(`insert into headcount.accounts (name) values ('kept')`))
    for (const text of computing) {
      const ended = database.transaction((trx) => trx.queryWithin(100, text), { readOnly: true })
      expect(await ended.catch(codeOf), text).toBe('57014')
    }
    const written = await database.transaction(async (trx) => {
      await trx.query(`insert into headcount.accounts (name) values ('new')`)
      await trx.query('savepoint before_it')
      expect(await trx.queryWithin(100, computing[0] ?? '').catch(codeOf)).toBe('57014')
      await trx.query('rollback to savepoint before_it')
      // One that takes its time, after one that was ended.
      return trx.query(
        'select name, (select count(*) from generate_series(1, 3e5::bigint)) from headcount.accounts',
      )
    })
    expect(new Set(written.rows.map(([name]) => name))).toEqual(new Set(['kept', 'new']))
    expect(Math.abs(performance.timeOrigin + performance.now() - Date.now())).toBeLessThan(60_000)
  })
})

test('D24 time and again: neither descriptors nor threads are left', async () => {
  await using lent = await lendPglite()
  const { pglite } = lent
  const end = async () => {
    await using timeout = await startStatementTimeout(pglite)
    return await timeout.within(10, () => pglite.query('select pg_sleep(20)')).catch(codeOf)
  }
  const left = async () => ({
    descriptors: process.platform === 'linux' ? (await readdir('/proc/self/fd')).length : 0,
    threads: process.platform === 'linux' ? (await readdir('/proc/self/task')).length : 0,
  })
  expect(await end()).toBe('57014')
  const before = await left()
  for (let time = 0; time < 12; time++) expect(await end()).toBe('57014')
  const after = await left()
  expect(after.descriptors).toBeLessThan(before.descriptors + 5)
  expect(after.threads).toBeLessThan(before.threads + 5)
})

test('D24 a cancel that comes too late ends no other statement', async () => {
  await using lent = await lendPglite()
  const { pglite } = lent
  await using timeout = await startStatementTimeout(pglite)
  const began = performance.now()
  await timeout.within(50, () => sleep(500))
  expect(performance.now() - began).toBeLessThan(60_000)
  expect((await pglite.query('select count(*)::int as count from generate_series(1, 10000)')).rows).toEqual([
    { count: 10_000 },
  ])
  await expect(timeout.within(50, () => pglite.query('select pg_sleep(20)'))).rejects.toThrow(
    /canceling statement/,
  )
})
