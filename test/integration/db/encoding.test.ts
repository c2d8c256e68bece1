import { Client } from 'pg'
import { expect, test } from 'vitest'
import type { Check } from '../../../src/commands/maintain/doctor/check.ts'
import { connect } from '../../../src/db/connect.ts'
import { DatabaseError } from '../../../src/common/errors.ts'
import { accountOf } from '../../support/accounts/account.ts'
import { commandStage } from '../../support/commands/command-stage.ts'
import { freshPlace } from '../../support/databases/databases.ts'
import { openPool } from '../../support/databases/pools.ts'

/** By name, whatever anybody made in the database. */
async function made(url: string): Promise<readonly string[]> {
  const client = new Client(url)
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select nspname as name from pg_namespace where oid >= 16384
     union all select relname from pg_class where oid >= 16384`,
  )
  await client.end()
  return rows.map(({ name }) => name)
}

test.each([
  ['SQL_ASCII', [['sync'], ['migrate'], ['serve']]],
  ['LATIN1', [['sync', '--dry-run'], ['backfill']]],
])('D20 %s: refused by each command before anything is made', async (encoding, commands) => {
  await using s = await commandStage('postgres', accountOf({ gala: 1 }), { blank: true, encoding })
  const ran = await Promise.all(commands.map((args) => s.run(args)))
  for (const { code, stdout, stderr } of ran) {
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
    expect(stderr).toMatch(`the encoding of this database is ${encoding}, and a mirror needs UTF8`)
    expect(stderr).toMatch("encoding 'UTF8' template template0")
  }
  expect(await made(s.place.url)).toEqual([])
})

test('D20 doctor says so', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 1 }), { blank: true, encoding: 'LATIN1' })
  const { code, stdout } = await s.run(['doctor', '--json'])
  expect(code).toBe(5)
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  expect(checks.filter(({ name }) => name === 'database' || name === 'schema')).toMatchObject([
    { state: 'failed', exit_code: 5, detail: expect.stringContaining(`is LATIN1`) as string },
    { state: 'skipped' },
  ])
  expect(await made(s.place.url)).toEqual([])
})

test("D20 a caller's pool to such a database is refused, and stays the caller's", async () => {
  await using place = await freshPlace('postgres', { blank: true, encoding: 'SQL_ASCII' })
  const pool = openPool(place.url)
  await expect(connect({ pool })).rejects.toThrow(DatabaseError)
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await pool.end()
})
