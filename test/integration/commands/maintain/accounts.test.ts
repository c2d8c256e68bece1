/** Accounts that are renamed and removed: what follows them, and what stays. */
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { accountTables, deleteAccount } from '../../../../src/mirror/accounts/remove.ts'
import { connect, type Database } from '../../../../src/db/connect.ts'
import { holdAccount } from '../../../../src/db/lease/hold-account.ts'
import { accountOf, responsesFrom } from '../../../support/accounts/account.ts'
import { headcount } from '../../../support/commands/command.ts'
import { commandStage, type CommandStage } from '../../../support/commands/command-stage.ts'
import { engines, onBoth } from '../../../support/databases/databases.ts'
import { addAccount } from '../../../support/accounts/many-accounts.ts'
import { accountsFolder } from '../../../support/files/accounts-folder.ts'
import { startServe, startWorker, urlOf } from '../../../support/commands/process.ts'

const rowsOf = (database: Database, text: string, values: unknown[] = []) =>
  database.transaction(async (trx) => (await trx.query(text, values)).rows, { readOnly: true })

/** Every row of the mirror that bears the number of this account, as text. */
async function everythingOf(database: Database, id: number): Promise<readonly unknown[]> {
  const tables = [...accountTables, 'api_keys', 'links']
  const parts = tables.map(
    (table) => `select '${table}' as place, row.*::text from headcount.${table} row where account_id = $1`,
  )
  return rowsOf(database, `${parts.join(' union all ')} order by 1, 2`, [id])
}

/** Two accounts that share an event id; rows in every table, by hand where no such run comes to be. */
async function fillTwo(database: Database): Promise<readonly [string, string]> {
  const [north, south] = [await addAccount(database, 'north'), await addAccount(database, 'south')]
  await database.transaction(async (trx) => {
    for (const statement of [
      `insert into headcount.payments (account_id, event_id, response_id, amount)
       select account_id, event_id, id, 12.50 from headcount.responses`,
      `insert into headcount.slots (account_id, event_id, response_id, position, name)
       select account_id, event_id, id, 1, 'door' from headcount.responses`,
      `insert into headcount.response_history
         (account_id, event_id, response_id, valid_from, valid_to, operation, document, ended_by_run_id)
       select account_id, event_id, id, now() - interval '1 day', now(), 'update', '{}', 1 from headcount.responses`,
      `insert into headcount.event_history (account_id, event_id, valid_from, valid_to, operation, document, ended_by_run_id)
       select account_id, id, now() - interval '1 day', now(), 'update', '{}', 1 from headcount.events`,
      `insert into headcount.rejects (account_id, item_index, reason, path, payload, bytes, sha256, run_id)
       select id, 0, 'no id', '$[0]', '{}', 2, 'abc', 1 from headcount.accounts`,
      `insert into headcount.accepted_rejects (account_id, sha256) select id, 'abc' from headcount.accounts`,
      `insert into headcount.api_observations (account_id, path, kind, value, count)
       select id, 'any', 'value', 'word', 1 from headcount.accounts`,
      `insert into headcount.slot_targets (account_id, wanted) select id, 3 from headcount.accounts`,
      `insert into headcount.links (account_id, sha256, view, format, with_personal)
       select id, 'of ' || name, 'events', 'csv', true from headcount.accounts`,
      `insert into headcount.deliveries (account_id, kind, name, recipient_sha256, recipient)
       select id, 'digest', 'default', 'abc', 'stdout' from headcount.accounts`,
      `insert into headcount.suppressions (account_id, key_check) select id, 'abc' from headcount.accounts`,
      `insert into headcount.suppressed_responses (account_id, event_id, response_id, suppression_id)
       select account_id, 'any', 1, id from headcount.suppressions`,
    ])
      await trx.query(statement)
  })
  return [north.key, south.key]
}

const quiet = new AbortController().signal

onBoth('I2 removing an account', (fresh) => {
  test('empties every table that has one, in bounded pieces, and touches no other account', async () => {
    await using mirror = await fresh()
    const { database } = mirror
    await fillTwo(database)
    const withAccount = await rowsOf(
      database,
      `select c.table_name::text from information_schema.columns c
         join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
        where c.table_schema = 'headcount' and c.column_name = 'account_id' and t.table_type = 'BASE TABLE'
        order by 1`,
    )
    expect(withAccount.flat()).toEqual([...accountTables, 'api_keys', 'links'].toSorted())
    const south = await everythingOf(database, 2)
    expect(new Set(south.map((row) => Object(row)[0] as string)).size).toBe(withAccount.length)

    const pieces: number[] = []
    const counting: Database = {
      ...database,
      transaction: async (work, options) => {
        pieces.push(1)
        return database.transaction(work, options)
      },
    }
    const options = { accountId: 1, mode: 'remove' } as const
    const removed = await holdAccount(database, options, (lease) =>
      deleteAccount(counting, lease, 1, quiet, 2),
    )
    // Two events, six responses with a payment, a slot and a version each, three lists, and one of eight more kinds.
    expect(removed).toBe(2 + 6 * 4 + 2 + 3 + 8)
    expect(pieces.length).toBeGreaterThan(removed / 2)
    expect(await everythingOf(database, 1)).toEqual([])
    expect(await everythingOf(database, 2)).toEqual(south)
    expect(await rowsOf(database, 'select name from headcount.accounts')).toEqual([['south']])
  })

  test('that is broken off has revoked its keys and links, is no mirror, and is finished by the next one', async () => {
    await using mirror = await fresh()
    const { database } = mirror
    await fillTwo(database)
    const south = await everythingOf(database, 2)
    const stop = new AbortController()
    let left = 4
    const dying: Database = {
      ...database,
      transaction: async (work, options) => {
        if ((left -= 1) === 0) stop.abort(new Error('killed'))
        return database.transaction(work, options)
      },
    }
    const options = { accountId: 1, mode: 'remove' } as const
    await expect(
      holdAccount(database, options, (lease) => deleteAccount(dying, lease, 1, stop.signal, 2)),
    ).rejects.toThrow('killed')
    const state = `select a.name, a._removing_since is not null, (select count(*)::int from headcount.api_keys
                     where account_id = a.id and revoked_at is null), (select count(*)::int from headcount.links
                     where account_id = a.id and revoked_at is null) from headcount.accounts a order by id`
    expect(await rowsOf(database, state)).toEqual([
      ['north', true, 0, 0],
      ['south', false, 1, 1],
    ])
    await holdAccount(database, options, (lease) => deleteAccount(database, lease, 1, quiet, 2))
    expect(await everythingOf(database, 1)).toEqual([])
    expect(await everythingOf(database, 2)).toEqual(south)
  })
})

async function openTwo(): Promise<CommandStage> {
  const account = accountOf({ gala: 3 })
  const s = await commandStage('postgres', account)
  expect((await s.run(['sync', '-q'])).code).toBe(0)
  account.of('gala').push(...responsesFrom(4, 1))
  expect((await s.run(['sync', '-q', '--account', 'nroth', '--new-account'])).code).toBe(0)
  return s
}

async function withDatabase<T>(s: CommandStage, work: (database: Database) => Promise<T>): Promise<T> {
  await using database = await connect(s.place.url)
  return await work(database)
}

const json = (text: string) => JSON.parse(text) as Record<string, unknown>

describe.each(engines)('removing an account of which people were erased (%s)', (engine) => {
  test('says how many, and how to keep the list of them', async () => {
    await using s = await commandStage(engine, accountOf({ gala: 3 }))
    const env = { HEADCOUNT_PERSON_KEY: 'a key of the suppression list for tests only' }
    expect((await s.run(['sync', '-q', '--account', 'choir'])).code).toBe(0)
    const ask = async () => (await s.run(['accounts', 'remove', 'choir'])).stderr
    expect(await ask()).not.toContain('erased')
    const erase = ['person', 'erase', 'guest1@example.org', '--yes', '--no-vacuum']
    expect((await s.run(erase, { env })).code).toBe(0)
    expect(await ask()).toMatch(
      /^Account choir .*\n1 person was erased from it, and the list of them goes, too: a later sync .* back\. Export the list first: .*person suppressions --account choir --json\n/,
    )
    // Who does so has the list when the account is there again.
    const list = join(await mkdtemp(join(tmpdir(), 'headcount-remove-')), 'list.json')
    const { stdout } = await s.run(['person', 'suppressions', '--account', 'choir', '--json'])
    await writeFile(list, stdout)
    // An account that is listed would be back with the next run, and they with it.
    const folder = accountsFolder(['choir'])
    const { HEADCOUNT_API_KEY: _, ...given } = s.env
    const askWith = async (listing: object) =>
      (await headcount(['accounts', 'remove', 'choir'], { env: { ...given, ...listing } })).stderr
    const inFile = { HEADCOUNT_ACCOUNTS_FILE: folder.file }
    folder.write('accounts.yaml', 'accounts:\n  - name: choir\n    key_file: keys/choir.key\n')
    expect(await askWith(inFile)).toMatch(
      /^Warning: it is still listed \(\S+accounts\.yaml:2:5\), .* bring it back, and with it those who were erased from it\. First take its entry, .*\nheadcount: accounts remove: nothing was removed/m,
    )
    folder.write('accounts.yaml', 'accounts:\n  - name: choir\n    key_file: keys/none.key\n')
    expect(await askWith(inFile)).toContain('Warning: it is still listed')
    expect(await askWith({ HEADCOUNT_KEYS_DIR: join(folder.path, 'keys') })).toMatch(
      /still listed \(\S+choir\.key\)/,
    )
    folder.write('accounts.yaml', 'accounts: [')
    expect(await askWith(inFile)).toContain('Warning: whether it is still listed cannot be read')
    folder.write('accounts.yaml', 'accounts:\n  - name: band\n    key_file: keys/choir.key\n')
    expect(await askWith(inFile)).not.toContain('Warning')
    const removed = await s.run(['accounts', 'remove', 'choir', '--yes'])
    expect(removed.stderr).toContain('1 person was erased from it')
    expect(removed.stderr).not.toContain('Warning')
    await s.run(['sync', '-q', '--account', 'choir'])
    const again = await s.run(['person', 'erase', '--suppressions', list, '--yes', '--no-vacuum', '--json'], {
      env,
    })
    expect(JSON.parse(again.stdout)).toMatchObject({ account: 'choir', erased: { responses: 1 } })
  })
})

describe('I2 accounts on the command line', () => {
  test('list, rename with runs and keys, and remove of one account', async () => {
    await using s = await openTwo()
    const { stdout: key } = await s.run(['keys', 'create', '--account', 'nroth'])
    expect((await s.run(['accounts', 'rename', 'nort', 'north'])).stderr).toBe(
      'headcount: The mirror has no account "nort"; it has default, nroth.\n',
    )
    const taken = await s.run(['accounts', 'rename', 'nroth', 'default'])
    expect([taken.code, taken.stderr]).toEqual([
      2,
      expect.stringContaining('has an account "default" already'),
    ])
    expect(await s.run(['accounts', 'rename', 'nroth', 'north'])).toMatchObject({ code: 0, stdout: '' })
    expect(json((await s.run(['accounts', 'list', '--json'])).stdout)).toMatchObject({
      accounts: [
        { account: 'default', events: 1, responses: 3, runs: 1, active_keys: 0 },
        { account: 'north', events: 1, responses: 4, runs: 1, active_keys: 1, removing_since: null },
      ],
    })
    expect(json((await s.run(['runs', '--account', 'north', '--json'])).stdout)).toMatchObject({
      runs: [{ account: 'north', mode: 'sync', status: 'succeeded' }],
    })
    expect((await s.run(['sync', '-q', '--account', 'north'])).code).toBe(0)

    const asked = await s.run(['accounts', 'remove', 'north'])
    expect(asked).toMatchObject({ code: 2, stdout: '' })
    expect(asked.stderr).toMatch(
      /^Account north \(owner@example\.org, http:.*\): 1 event, 4 responses, .* 2 runs, 1 key in use\.\n/,
    )
    expect(asked.stderr).toContain('nothing was removed, for there is no terminal to ask on. Add --yes')
    await withDatabase(s, async (database) => {
      await holdAccount(database, { accountId: 2, mode: 'sync' }, async () => {
        for (const words of [
          ['remove', 'north', '--yes'],
          ['rename', 'north', 'south'],
        ]) {
          const busy = await s.run(['accounts', ...words])
          expect([busy.code, busy.stderr]).toEqual([9, expect.stringContaining('Another run holds account')])
        }
      })
    })

    await using served = startServe([], { env: s.env })
    const ping = async () =>
      (await fetch(`${await urlOf(served)}/ping`, { headers: { 'X-API-Key': key.trim() } })).status
    expect(await ping()).toBe(200)
    const removed = await s.run(['accounts', 'remove', 'north', '--yes'])
    expect([removed.code, removed.stderr]).toEqual([
      0,
      expect.stringMatching(/^Account north is removed: \d+ rows\.$/m),
    ])
    expect(await ping()).toBe(401)
    const { stdout } = await s.run(['accounts', 'list', '--json'])
    expect(json(stdout)).toMatchObject({ accounts: [{ account: 'default', responses: 3 }] })
    expect((await s.run(['sync', '-q'])).code).toBe(0)
  })

  test('an account that is renamed under a worker is not made anew', async () => {
    await using s = await openTwo()
    const env = { ...s.env, HEADCOUNT_ACCOUNT: 'west', HEADCOUNT_NEW_ACCOUNT: '1' }
    await using worker = startWorker(['--schedule', '* * * * * *'], { env })
    await worker.says('sync succeeded')
    const rename = async () => (await s.run(['accounts', 'rename', 'west', 'east'])).code
    await expect.poll(rename, { timeout: 60_000 }).toBe(0)
    await worker.says('has no account "west"; it has default, nroth, east.')
    expect(json((await s.run(['accounts', '--json'])).stdout)).toMatchObject({
      accounts: [{ account: 'default' }, { account: 'nroth' }, { account: 'east', responses: 4 }],
    })
  })

  test('a removal that is killed leaves what status, serve, sync and query say is no mirror; the next one finishes it', async () => {
    await using s = await openTwo()
    await s.run(['keys', 'create', '--account', 'nroth'])
    await withDatabase(s, (database) =>
      database.transaction(async (trx) => {
        await trx.query('lock table headcount.responses in share mode')
        const marked = 'select count(*)::int from headcount.accounts where _removing_since is not null'
        const meanwhile = async (child: ChildProcess) => {
          await expect.poll(async () => (await trx.query(marked)).rows, { timeout: 20_000 }).toEqual([[1]])
          child.kill('SIGKILL')
        }
        const killed = await s.run(['accounts', 'remove', 'nroth', '--yes'], { meanwhile })
        expect(killed.code).toBeNull()
      }),
    )
    expect((await s.run(['keys', '--account', 'nroth'])).stdout).toContain('revoked')
    const said = /half removed since .*accounts remove nroth/
    const status = await s.run(['status', '--max-age', '1h'])
    expect([status.code, status.stdout, status.stderr]).toEqual([
      6,
      expect.stringMatching(said),
      expect.stringMatching(said),
    ])
    expect(await s.run(['status', '--max-age', '1h', '--account', 'default'])).toMatchObject({
      code: 0,
      stderr: '',
    })
    for (const words of [['sync'], ['backfill'], ['sync', '--dry-run'], ['verify']]) {
      const refused = await s.run([...words, '-q', '--account', 'nroth'])
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('"nroth" is half removed')])
    }
    expect((await s.run(['keys', 'create', '--account', 'nroth'])).stderr).toMatch(said)
    const count = ['query', 'select count(*) from responses']
    expect(await s.run([...count, '--account', 'nroth'])).toMatchObject({ code: 5, stdout: '' })
    expect((await s.run(count)).stderr).toMatch(said)
    await using served = startServe([], { env: s.env })
    expect((await served.says('half removed')).level).toBe('warn')

    expect((await s.run(['accounts', 'remove', 'nroth', '--yes'])).stderr).toContain('Its removal began at')
    expect(await s.run(count)).toEqual({ code: 0, stdout: 'count\n3\n', stderr: '' })
  })

  test('--account bounds what query and status show', async () => {
    await using s = await openTwo()
    const ask = async (statement: string, ...flags: string[]) => s.run(['query', statement, ...flags])
    const views = `select (select count(*) from response_details) as details, (select count(*) from list_status) as lists,
                          (select count(*) from response_changes) as changes, (select count(*) from responses_at(now())) as past`
    const one = await ask(views, '--account', 'nroth')
    expect(one.stdout).toBe('details,lists,changes,past\n4,2,4,4\n')
    expect(one.stderr).toContain(
      'views and functions show account nroth only; in tables it is the rows with account_id = 2',
    )
    expect((await ask(views)).stdout).toBe('details,lists,changes,past\n7,4,7,3\n')
    expect(await ask(views, '--account', 'north')).toMatchObject({ code: 2, stdout: '' })
    const { stdout } = await s.run(['status', '--account', 'nroth', '--json'])
    expect(json(stdout)).toMatchObject({ accounts: [{ account: 'nroth' }] })
    expect((await s.run(['status', '--account', 'x'])).code).toBe(2)
  })
})
