/** A name that the mirror does not have: whose slip would store everything a second time. */
import { expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { migrateWithin } from '../../../../src/db/migrate.ts'
import { verify } from '../../../../src/index.ts'
import { keySha256 } from '../../../../src/sync/open/find-account.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import { commandStage } from '../../../support/commands/command-stage.ts'
import { scriptPath } from '../../../support/commands/command.ts'
import { freshMirror } from '../../../support/databases/databases.ts'
import { onBothStages, optionOf, startStage } from '../../../support/runs/stage.ts'
import { startServe } from '../../../support/commands/process.ts'
import { send, type SeenRequest } from '../../../support/http/fault-server.ts'
import { testKey } from '../../../support/http/reading.ts'

const unknown = {
  exit: 2,
  error: { code: 'unknown_account', account: 'defualt', accounts: ['default'] },
}

onBothStages('I2 a mistyped account', (stage) => {
  test('stores nothing and asks the service nothing; an empty mirror takes any name, createAccount a further one', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    expect(await on.sync()).toMatchObject({ exit: 0 })
    const before = on.mirror.rows()
    const asked = on.service.requests.length
    for (const mode of ['sync', 'backfill'] as const)
      expect(await on.run(mode, { account: 'defualt' })).toMatchObject(unknown)
    expect(await on.run('sync', { account: 'defualt', dryRun: true })).toMatchObject(unknown)
    await expect(
      verify({
        ...optionOf(on.target),
        apiKey: testKey,
        baseUrl: on.service.baseUrl.href,
        account: 'defualt',
      }),
    ).rejects.toMatchObject({ code: 'unknown_account' })
    await on.look()
    expect([on.mirror.rows(), on.service.requests.length]).toEqual([before, asked])

    expect(await on.run('sync', { account: 'second', createAccount: true })).toMatchObject({ exit: 0 })
    expect(await on.run('sync', { account: 'second' })).toMatchObject({ exit: 0 })
    const names = await on.query('select array_agg(name order by id)::text from headcount.accounts')
    expect(names).toEqual([['{default,second}']])
  })

  test('for_new_key makes no account for a key that the mirror has under another name, and pours it into none', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    const forNewKey = { createAccount: 'for_new_key' as const }
    expect(await on.run('sync', { account: 'choir', ...forNewKey })).toMatchObject({ exit: 0 })
    await on.look()
    const before = on.mirror.rows()
    const asked = on.service.requests.length
    const refused = { exit: 2, error: { code: 'account_mismatch' } }
    for (const dryRun of [false, true])
      expect(await on.run('sync', { account: 'choir-berlin', dryRun, ...forNewKey })).toMatchObject(refused)
    // An account that is there, too: its key file may be the one of another account.
    await on.change(`insert into headcount.accounts (name, key_sha256) values ('theatre', repeat('0', 64))`)
    expect(await on.run('sync', { account: 'theatre', ...forNewKey })).toMatchObject(refused)
    await on.change(`delete from headcount.accounts where name = 'theatre'`)
    await on.look()
    expect([on.mirror.rows(), on.service.requests.length]).toEqual([before, asked])

    await on.change(`update headcount.accounts set name = 'choir-berlin'`)
    expect(await on.run('sync', { account: 'choir-berlin', ...forNewKey })).toMatchObject({ exit: 0 })
    expect(await on.run('sync', { account: 'choir', ...forNewKey })).toMatchObject(refused)
    // A key that the mirror has under both names, of a time when that was not refused, or by --new-account.
    expect(await on.run('sync', { account: 'choir', createAccount: true })).toMatchObject({ exit: 0 })
    expect(await on.run('sync', { account: 'choir', ...forNewKey })).toMatchObject({ exit: 0 })
  })
})

test('I2 two first runs of different names at once: one of them makes its account', async () => {
  await using on = await startStage('postgres', accountOf({ gala: 3 }))
  await using database = await connect(on.url)
  // Both have seen an empty mirror when the first of them makes its account.
  const running = await database.transaction(async (trx) => {
    await trx.query('lock table headcount.accounts in share row exclusive mode')
    const begun = ['north', 'nroth'].map((account) => on.run('sync', { account }))
    const waiting = `select count(*)::int from pg_locks where relation = 'headcount.accounts'::regclass and not granted and database = (select oid from pg_database where datname = current_database())`
    await expect.poll(async () => (await trx.query(waiting)).rows, { timeout: 15_000 }).toEqual([[2]])
    return { begun }
  })
  const ended = await Promise.all(running.begun)
  expect(ended.map(({ exit }) => exit).toSorted((one, other) => one - other)).toEqual([0, 2])
  await on.look()
  expect(on.mirror.rows('accounts')).toHaveLength(1)
})

test('I2 before the schema is brought up to date: a mistyped name leaves an older one as it is', async () => {
  await using mirror = await freshMirror('postgres', {})
  const { database, url } = mirror
  await database.transaction(async (trx) => {
    await trx.query(`insert into headcount.accounts (name) values ('default')`)
    await trx.query('delete from headcount.schema_migrations where number > 1')
  })
  await using on = await startStage('postgres', accountOf({ gala: 3 }))
  expect(await on.run('sync', { database: url, account: 'defualt' })).toMatchObject(unknown)
  await using again = await connect(url)
  const { rows } = await again.transaction((trx) =>
    trx.query('select max(number) from headcount.schema_migrations'),
  )
  expect(rows).toEqual([[1]])
})

test('I2 first runs of several accounts while another process makes the schema: each waits for it, and asks again whose its key is', async () => {
  await using mirror = await freshMirror('postgres', { blank: true })
  const { database, url } = mirror
  // Migrations are committed one by one, and before number 10 an account has no key.
  await database.transaction((trx) => migrateWithin(trx, 9))
  await using on = await startStage('postgres', accountOf({ gala: 3 }))
  const takesAnyKey = (headers: SeenRequest['headers']) => ({ ...headers, 'x-api-key': testKey })
  on.service.always(
    send((request) => on.account.answer({ ...request, headers: takesAnyKey(request.headers) })),
  )
  const running = await database.transaction(async (trx) => {
    await trx.query('select pg_advisory_xact_lock($1)', ['6283185307'])
    const begun = ['north', 'south', 'west'].map((account) =>
      on.run('sync', { database: url, account, apiKey: `canary-${account}`, createAccount: 'for_new_key' }),
    )
    const waiting = `select count(*)::int from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
    await expect.poll(async () => (await trx.query(waiting)).rows, { timeout: 15_000 }).toEqual([[3]])
    await migrateWithin(trx)
    await trx.query('insert into headcount.accounts (name, key_sha256) values ($1, $2)', [
      'choir',
      keySha256('canary-west'),
    ])
    return { begun }
  })
  const ended = await Promise.all(running.begun)
  expect(ended).toMatchObject([{ exit: 0 }, { exit: 0 }, { exit: 2, error: { code: 'account_mismatch' } }])
})

test('I2 on the command line: refused with the nearest name, taken with --new-account or a yes', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  expect((await s.run(['sync', '-q', '--account', 'north'])).code).toBe(0)
  const names = async () => {
    await using database = await s.place.open()
    const { rows } = await database.transaction((trx) =>
      trx.query('select name from headcount.accounts order by id'),
    )
    return rows.flat()
  }
  const refusal =
    'headcount: The mirror has no account "Nroth"; it has north. Nothing was written. Check --account ' +
    '(HEADCOUNT_ACCOUNT), or add --new-account (HEADCOUNT_NEW_ACCOUNT=1) to the first run of a further account.\n'
  for (const command of [['sync'], ['worker']]) {
    const ran = await s.run([...command, '-q', '--account', 'Nroth'])
    expect([ran.code, ran.stderr]).toEqual([2, refusal])
  }
  expect(await names()).toEqual(['north'])

  const south = { env: { HEADCOUNT_ACCOUNT: 'south', HEADCOUNT_NEW_ACCOUNT: '1' } }
  expect((await s.run(['sync', '-q'], south)).code).toBe(0)
  const near = await s.run(['sync', '-q', '--account', 'SUOTH'])
  expect(near.stderr).toContain('it has north, south. The nearest name is "south". Nothing was written.')

  await using served = startServe(['--sync', '--account', 'nort'], { env: s.env })
  expect((await served.ended).code).toBe(2)
  expect(served.stderr).toContain('The nearest name is "north"')
  if (scriptPath === null) return
  const no = await s.onTerminal(['sync', '-q', '--account', 'west'], { stdin: 'n\n' })
  expect([no.code, no.stdout]).toEqual([2, expect.stringContaining('name "west"? [y/N]')])
  expect(await names()).toEqual(['north', 'south'])
  const yes = await s.onTerminal(['sync', '-q', '--account', 'west'], { stdin: 'y\n' })
  expect(yes.code).toBe(0)
  expect(await names()).toEqual(['north', 'south', 'west'])
})
