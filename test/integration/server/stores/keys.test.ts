/** Keys of the mirror: what is stored of them, what they are by the clock of the database, and what is noted of their use. */
import { expect, test } from 'vitest'
import type { Database } from '../../../../src/db/connect.ts'
import { UsageError } from '../../../../src/common/errors.ts'
import { createKey, listKeys, revoke, recordUse } from '../../../../src/mirror/keys/keys.ts'
import { hashKey } from '../../../../src/mirror/keys/secret.ts'
import { readContents } from '../../../support/mirror/contents.ts'
import { freshMirror, onBoth } from '../../../support/databases/databases.ts'

async function addAccounts(database: Database): Promise<void> {
  await database.transaction((trx) =>
    trx.query(`insert into headcount.accounts (name) values ('north'), ('south')`),
  )
}

function create(
  database: Database,
  { account = 'north', label = null as string | null, expiresAt = null as string | null } = {},
) {
  return database.transaction((trx) => createKey(trx, { account, label, expiresAt }))
}

async function stored(database: Database, columns: string): Promise<readonly (readonly unknown[])[]> {
  const { rows } = await database.transaction((trx) =>
    trx.query(`select ${columns} from headcount.api_keys order by id`),
  )
  return rows
}

onBoth('keys', (fresh) => {
  test('are stored as their hashes alone, each for one account', async () => {
    await using mirror = await fresh()
    const { database } = mirror
    await addAccounts(database)
    const one = await create(database, { label: 'for the website' })
    const other = await create(database, { account: 'south' })
    expect([one.id, other.id]).toEqual([1, 2])
    for (const { key } of [one, other]) expect(key).toMatch(/^hc_[\w-]{43}$/)
    expect(other.key).not.toBe(one.key)
    expect(await stored(database, 'account_id, sha256, label')).toEqual([
      [1, hashKey(one.key), 'for the website'],
      [2, hashKey(other.key), null],
    ])
    const everything = (await readContents(database)).rows().join('\n')
    expect(everything).toContain(hashKey(one.key))
    for (const { key } of [one, other]) expect(everything).not.toContain(key.slice(3))
    await expect(create(database, { account: 'west' })).rejects.toThrow(UsageError)
  })

  test('are active, expired by the clock of the database, or revoked once for all', async () => {
    await using mirror = await fresh()
    const { database } = mirror
    await addAccounts(database)
    await create(database, { expiresAt: '9999-12-31T23:59:59.999999Z' })
    await create(database, { expiresAt: '2020-01-01T00:00:00+02:00' })
    await create(database, { account: 'south' })
    const list = (account: string | null = null) => database.transaction((trx) => listKeys(trx, account))
    expect(await list()).toMatchObject([
      { id: 1, account: 'north', state: 'active', expires_at: '9999-12-31T23:59:59.999999Z' },
      { id: 2, account: 'north', state: 'expired', expires_at: '2019-12-31T22:00:00Z' },
      { id: 3, account: 'south', state: 'active', expires_at: null, last_used_on: null, revoked_at: null },
    ])

    const revokeKey = (id: number, account?: string) =>
      database.transaction((trx) => revoke(trx, 'api_keys', id, account))
    await expect(revokeKey(3, 'north')).rejects.toThrow(
      'no key 3 of account "north": npx --no -- headcount keys list',
    )
    await expect(revokeKey(4)).rejects.toThrow('There is no key 4: npx --no -- headcount keys list')
    const revoked = await revokeKey(3, 'south')
    expect(revoked).toMatchObject({ account: 'south', wasRevoked: false })
    expect(await revokeKey(3)).toEqual({ ...revoked, wasRevoked: true })
    await revokeKey(2)
    expect((await list()).map(({ state }) => state)).toEqual(['active', 'revoked', 'revoked'])
    expect(await list('south')).toMatchObject([{ id: 3, revoked_at: revoked.revoked_at }])
  })

  test('have their last use noted to the day, with one write a day', async () => {
    await using mirror = await fresh()
    const { database } = mirror
    await addAccounts(database)
    for (const _ of [1, 2, 3, 4]) await create(database)
    await database.transaction((trx) =>
      trx.query(`update headcount.api_keys set last_used_on = date '2020-01-01' where id = 2`),
    )
    const note = () => database.transaction((trx) => recordUse(trx, 'api_keys', ['1', '2', '3']))
    const used = `id, last_used_on = (now() at time zone 'UTC')::date, xmin::text`
    await note()
    const noted = await stored(database, used)
    expect(noted.map(([id, isToday]) => [id, isToday])).toEqual([
      ['1', true],
      ['2', true],
      ['3', true],
      ['4', null],
    ])
    await note()
    // A row that was written again would be another version, of another transaction.
    expect(await stored(database, used)).toEqual(noted)
  })
})

test('a note of a use waits for nobody', async () => {
  await using mirror = await freshMirror('postgres')
  const { database } = mirror
  await addAccounts(database)
  for (const _ of [1, 2]) await create(database)
  await database.transaction(async (trx) => {
    await revoke(trx, 'api_keys', 1)
    await database.transaction((other) => recordUse(other, 'api_keys', ['1', '2']), { lockTimeoutMs: 1 })
  })
  expect(await stored(database, 'last_used_on is not null')).toEqual([[false], [true]])
})
