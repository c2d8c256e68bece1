/** A mirror that is moved to another database is the same there, and the next run goes on as it would have before. */
import { describe, expect, test } from 'vitest'
import { COPIED_TABLES, TABLES_LEFT_BEHIND } from '../../../../src/common/schema/copied-tables.ts'
import {
  createKey,
  listKeys,
  MovedMirrorError,
  moveMirror,
  prune,
  sendDigest,
  verify,
} from '../../../../src/index.ts'
import { freshMirror, freshPlace, type engines } from '../../../support/databases/databases.ts'
import { countLockWaits } from '../../../support/databases/locks.ts'
import { change } from '../../../support/databases/older-schema.ts'
import { testKey } from '../../../support/http/reading.ts'
import { fillMirror, keepOpen, readRows } from '../../../support/outputs/transfer/filled-mirror.ts'
import { optionOf } from '../../../support/runs/stage.ts'

type Engine = (typeof engines)[number]

/** Each engine gives once and takes once. */
const directions: readonly (readonly [Engine, Engine])[] = [
  ['postgres', 'pglite'],
  ['pglite', 'postgres'],
]

test('every table of the schema is copied, or is said to stay behind', async () => {
  await using mirror = await freshMirror('postgres')
  const { rows } = await mirror.database.transaction((trx) =>
    trx.query(`select tablename::text from pg_tables where schemaname = 'headcount' order by 1`),
  )
  expect([...COPIED_TABLES, ...TABLES_LEFT_BEHIND].toSorted()).toEqual(rows.map(([table]) => table))
})

test('a table of somebody else in the schema is none of the mirror', async () => {
  await using filled = await fillMirror('postgres')
  await (async () => {
    await using database = await filled.place.open()
    await change(database, ['create table headcount.mine (a int)'])
  })()
  await using target = await freshPlace('postgres', { blank: true })
  const { tables } = await moveMirror({ database: filled.place.url, to: target.url })
  expect(tables.map(({ table }) => table)).toEqual(COPIED_TABLES)
})

test('a row that arrives otherwise than it was ends it, and leaves nothing', async () => {
  await using filled = await fillMirror('postgres')
  await using target = await freshPlace('postgres')
  await (async () => {
    await using database = await target.open()
    await change(database, [
      `create function headcount.upper_titles() returns trigger language plpgsql as
         'begin new.title := upper(new.title); return new; end'`,
      `create trigger upper_titles before insert on headcount.events
         for each row execute function headcount.upper_titles()`,
    ])
  })()
  await expect(moveMirror({ database: filled.place.url, to: target.url })).rejects.toMatchObject({
    exitCode: 5,
    message: expect.stringMatching(
      /the table events has 22 rows there and 22 in the original, or a row differs\. Nothing was stored\. Look for triggers/,
    ) as string,
  })
  expect((await readRows(target.url))['accounts']).toEqual([])
  expect((await filled.sync(filled.place.url)).report.mode).toBe('sync')
})

test('what is written meanwhile is not lost: it waits, or is refused', async () => {
  await using filled = await fillMirror('postgres')
  await using target = await freshPlace('postgres', { blank: true })
  await using database = await filled.place.open()
  const locked = Promise.withResolvers<void>()
  const moving = moveMirror({
    database: filled.place.url,
    to: target.url,
    onProgress: ({ step, table }) => {
      if (step === 'copying' && table === 'events') locked.resolve()
    },
  })
  await Promise.race([locked.promise, moving])
  const write = (statement: string) =>
    database
      .transaction((trx) => trx.query(statement), { lockTimeoutMs: 1 })
      .then(
        () => 'written',
        (error: unknown) => (error instanceof Error ? error.message : ''),
      )
  const said = await write(`insert into headcount.api_keys (account_id, sha256) values (1, repeat('e', 64))`)
  await moving
  expect(said).toContain('lock timeout')
})

test('a change that waited for a move is refused, and not lost with the former mirror', async () => {
  await using filled = await fillMirror('postgres')
  await using target = await freshPlace('postgres', { blank: true })
  await using database = await filled.place.open()
  const source = { database: filled.place.url, account: 'default' }
  const makeChanges = () => [
    createKey({ ...source, label: 'late' }),
    prune({ ...source, historyBefore: new Date() }),
    sendDigest({ ...source, name: 'late', to: 'https://localhost:9/' }),
  ]
  const [moving, changing] = await database.transaction(async (trx) => {
    // The move cannot end meanwhile.
    await trx.query('lock table headcount.moved in share mode')
    const moving = moveMirror({ database: source.database, to: target.url })
    await expect.poll(() => countLockWaits(database), { timeout: 20_000 }).toBe(1)
    const changing = Promise.allSettled(makeChanges())
    await Promise.race([changing, expect.poll(() => countLockWaits(database), { timeout: 4000 }).toBe(4)])
    return [moving, changing] as const
  })
  await moving
  for (const change of await changing) expect(change).toMatchObject({ reason: expect.any(MovedMirrorError) })
  expect(await readRows(source.database)).toEqual(await readRows(target.url))
  await createKey({ ...source, label: 'forced', force: true })
  expect((await listKeys(source)).map(({ label }) => label)).toContain('forced')
})

test('an account that comes before the snapshot is not left behind', async () => {
  await using filled = await fillMirror('postgres')
  await using target = await freshPlace('postgres', { blank: true })
  await using database = await filled.place.open()
  const held = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const locking = database.transaction(async (trx) => {
    await trx.query(`insert into headcount.accounts (name) values ('third')`)
    held.resolve()
    await goOn.promise
  })
  await held.promise
  const moving = moveMirror({ database: filled.place.url, to: target.url })
  await expect.poll(() => countLockWaits(database), { timeout: 20_000 }).toBe(1)
  goOn.resolve()
  await locking
  await expect(moving).rejects.toMatchObject({ exitCode: 9 })
  expect(await readRows(target.url)).toEqual({})
  expect((await moveMirror({ database: filled.place.url, to: target.url })).accounts).toContain('third')
})

describe.each(directions)('a move from %s to %s', (from, to) => {
  test('copies every row of every table, and the next run reads what it would have read before', async () => {
    await using filled = await fillMirror(from)
    await using place = await freshPlace(to, { blank: true })
    const report = await moveMirror({ ...optionOf(filled.target), to: place.url })
    expect(report.accounts).toEqual(['default', 'second'])
    await using opened = new AsyncDisposableStack()
    const target = await keepOpen(place, opened)
    const copied = await readRows(target)
    expect(copied).toEqual(await readRows(filled.target))
    for (const { table, rows } of report.tables) expect(copied[table], table).toHaveLength(rows)
    expect(Object.entries(copied).filter(([, rows]) => rows.length === 0)).toEqual([])

    const mirror = optionOf(target)
    await createKey({ ...mirror, account: 'default' })
    expect((await listKeys(mirror)).map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([1, 2, 4])
    const there = await filled.sync(target)
    expect(there.requests.length).toBeGreaterThan(2)
    const here = await filled.sync(filled.target, { force: true })
    expect(there.requests).toEqual(here.requests)
    expect(there.report).toMatchObject({ status: here.report.status, run_id: here.report.run_id })
    const verified = await verify({
      ...mirror,
      apiKey: testKey,
      baseUrl: filled.service.baseUrl.href,
      account: 'default',
    })
    expect(verified).toMatchObject({ differences: [] })
  })
})
