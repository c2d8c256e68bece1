/** A database whose tables are all published, as tools for change data capture have it: Postgres refuses to update a table without a replica identity. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrate, migrateWithin, SCHEMA_VERSION } from '../../../src/db/migrate.ts'
import { createKey, removeAccount, sync, verify } from '../../../src/index.ts'
import { accountOf, responseItem } from '../../support/accounts/account.ts'
import { freshPlace } from '../../support/databases/databases.ts'
import { change } from '../../support/databases/older-schema.ts'
import { openQueueStage } from '../../support/queue/open.ts'
import { send, startFaultServer } from '../../support/http/fault-server.ts'
import { testKey } from '../../support/http/reading.ts'

/** Tables of the mirror, and of the queue where there is one. */
const withoutIdentity = `
  select c.oid::regclass::text
    from pg_class c
   where c.relnamespace in (to_regnamespace('headcount'), to_regnamespace('headcount_queue')) and c.relkind in ('r', 'p')
     and not (c.relreplident = 'f' or exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary))`

test.each(['before the first migration', 'after the last', 'between two'])(
  'tables that are published %s: runs change and delete rows',
  async (when) => {
    const account = accountOf({ gala: 4, picnic: 2 })
    account.of('gala').push({ name: 'no id' })
    await using service = await startFaultServer()
    service.always(send((request) => account.answer(request)))
    await using place = await freshPlace('postgres', { blank: true })
    await using database = await place.open()
    const publish = () => change(database, ['create publication everything for all tables'])
    if (when === 'before the first migration') await publish()
    if (when === 'between two') {
      await database.transaction((trx) => migrateWithin(trx, SCHEMA_VERSION - 10))
      await publish()
    }
    await migrate(database)
    if (when === 'after the last') await publish()
    const { rows } = await database.transaction((trx) => trx.query(withoutIdentity))
    expect(rows).toEqual([])

    const options = { database: place.url, apiKey: testKey, baseUrl: service.baseUrl.href, all: true }
    await sync(options)
    account.of('gala').splice(0, 2, responseItem(2, { message: 'edited' }))
    account.of('gala').pop()
    await sync(options)
    expect(await verify(options)).toMatchObject({ status: 'equal' })
    await removeAccount({ database: place.url, account: 'default' })
    const left = await database.transaction((trx) => trx.query('select from headcount.response_history'))
    expect(left.rows).toEqual([])
  },
)

/** The statement of docs/operate/upkeep.md. */
async function settingSequences(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../../../docs/operate/upkeep.md'), 'utf8')
  const [statement] = text.match(/^do \$\$[\s\S]*?^end \$\$;$/m) ?? []
  if (statement === undefined) throw new Error('no statement')
  return statement
}

test.each(['postgres', 'pglite'] as const)(
  'a database that logical replication filled (%s) has its sequences at their start: what to do is said, nothing is written, and the statement helps',
  async (engine) => {
    const account = accountOf({ gala: 4 })
    await using service = await startFaultServer()
    service.always(send((request) => account.answer(request)))
    await using place = await freshPlace(engine)
    const options = { database: place.url, apiKey: testKey, baseUrl: service.baseUrl.href }
    await sync(options)
    await sync(options)
    await createKey({ database: place.url, account: 'default' })
    const numbered = ['accounts', 'api_keys', 'deliveries', 'links', 'suppressions', 'sync_runs']
    const ofTables = `select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
                       where c.relnamespace = 'headcount'::regnamespace and a.attidentity <> '' order by 1`
    {
      await using database = await place.open()
      const { rows } = await database.transaction((trx) => trx.query(ofTables))
      expect(rows.flat()).toEqual(numbered)
      await change(
        database,
        numbered.map((table) => `alter table headcount.${table} alter column id restart`),
      )
    }
    const behind = /sequence of headcount\.\w+ stands behind its rows.*docs\/operate\/upkeep\.md/
    await expect(sync(options)).rejects.toThrow(behind)
    await expect(createKey({ database: place.url, account: 'default' })).rejects.toThrow(behind)
    {
      await using database = await place.open()
      await change(database, [await settingSequences()])
    }
    expect((await sync(options)).run_id).toBe(3)
    expect((await createKey({ database: place.url, account: 'default' })).id).toBe(2)
  },
)

test('every table of the queue has a key to be published by', async () => {
  await using queue = await openQueueStage()
  expect(await queue.query(withoutIdentity)).toEqual([])
})
