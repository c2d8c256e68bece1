/** Erasing a person on the command line: what is shown, asked, said and refused. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChildProcess } from 'node:child_process'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import { scriptPath } from '../../../support/commands/command.ts'
import { onPostgresAccountsStage } from '../../../support/commands/accounts-stage.ts'
import {
  commandStage,
  onPostgresCommandStage,
  type CommandStage,
} from '../../../support/commands/command-stage.ts'

const key = { HEADCOUNT_PERSON_KEY: 'a key of the suppression list for tests only' }
const ada = { name: 'Ada Lovelace', email: 'Ada@Example.org', message: 'see you' }

/** Ada has two responses, one of which has another address now; somebody else names her. */
function lovelace() {
  const account = accountOf({})
  account.add('gala', 2, { title: 'Gala' })
  account.add('picnic', 2, { title: 'Picnic' })
  account.of('gala').push(responseItem(7, ada))
  account.of('picnic').push(responseItem(8, ada), responseItem(9, { message: 'I come with ada@example.org' }))
  return account
}

async function synced(s: CommandStage, account: ReturnType<typeof lovelace>): Promise<void> {
  await s.run(['sync', '-q'])
  account.of('gala')[2] = responseItem(7, { ...ada, email: 'countess@example.org' })
  await s.run(['sync', '-q', '--all'])
}

const held = async (s: CommandStage) => {
  const { stdout } = await s.run(['person', 'show', 'ada@example.org', '--json'])
  const { responses, versions } = JSON.parse(stdout) as Record<string, readonly unknown[]>
  return [responses?.length, versions?.length]
}

/** The rest on Postgres alone: on both engines the library's tests show what an erasure does to the rows. */
test('person erase in a PGlite folder leaves nothing of the person in its rows', async () => {
  const account = lovelace()
  await using s = await commandStage('pglite', account)
  await synced(s, account)
  const erased = await s.run(['person', 'erase', 'ada@example.org', '--yes'], { env: key })
  expect([erased.code, erased.stdout]).toEqual([
    0,
    expect.stringContaining('Erased the personal data of 2 responses, 1 former version, in 2 events.\n'),
  ])
  expect(await held(s)).toEqual([0, 0])
})

onPostgresCommandStage('person erase', (stage) => {
  test('shows what will go, erases it, and leaves a receipt; restore brings it back', async () => {
    const account = lovelace()
    await using s = await stage(account)
    await synced(s, account)
    const erased = await s.run(['person', 'erase', 'ADA@example.org', '--yes'], { env: key })
    expect(erased.code).toBe(0)
    expect(erased.stderr).toMatch(
      /^Account default holds 2 responses and 1 former version of ada@example\.org:\n/,
    )
    expect(erased.stderr).toMatch(/^ *gala +Gala +1 +1$/m)
    expect(erased.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'These responses have or had other addresses, too: countess@example.org. Erase each of them that is the same',
    )
    expect(erased.stderr.replaceAll(/\s+/g, ' ')).toContain(
      '1 other place names the address and stays as written: ',
    )
    expect(erased.stdout).toMatch(/^Receipt: run 3 of account default, 20\d\d-/)
    expect(erased.stdout).toContain(
      'Erased the personal data of 2 responses, 1 former version, in 2 events.\n',
    )
    expect(erased.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'Not changed, though the address stands there: responses.message (1 row). Show them with: ',
    )
    expect(erased.stdout).toMatch(/Not reached by this command:\n {2}the service itself/)
    expect(erased.stdout).not.toMatch(/ada|countess/i)
    expect(await held(s)).toEqual([0, 0])
    const run = await s.run(['runs', '3'])
    expect(run.stdout).toMatch(
      /^run 3 +erase of account default, succeeded\n[^]*Erased the personal data of 2 responses/,
    )
    expect((await s.run(['runs'])).stdout).toMatch(/^ *3 +erase +succeeded/m)
    expect((await s.run(['status'])).code).toBe(0)

    const listed = await s.run(['person', 'suppressions'])
    expect(listed.stdout).toMatch(/^[0-9a-f]{16}… +20\d\d-[^\n]* +2$/m)
    expect(listed.stdout).not.toContain('not erased')
    const restored = await s.run(['person', 'restore', 'ada@example.org'], { env: key })
    expect(restored.stdout).toMatch(
      /is off the suppression list of account default\. The next sync reads 2 lists whole/,
    )
    await s.run(['sync', '-q'])
    expect(await held(s)).toEqual([1, 0])
    const again = await s.run(['person', 'restore', 'ada@example.org'], { env: key })
    expect(again.stdout).toContain('was not on the suppression list')
  })

  test('says that the next sync erases, where addresses are left out and nobody can tell whose a row is', async () => {
    await using s = await stage(lovelace())
    const env = { ...key, HEADCOUNT_LEAVE_OUT: 'responses.email' }
    await s.run(['sync', '-q'], { env })
    const erased = await s.run(['person', 'erase', 'ada@example.org', '--yes'], { env })
    expect(erased.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /^No response in account default has the address .* the next headcount sync reads every list, and erases/,
    )
    expect((await s.run(['sync'], { env })).stderr).toMatch(/^ +responses +0 +2 +0$/m)
  })
})

onPostgresCommandStage('person erase --suppressions (postgres)', (stage) => {
  test('takes no list of another account, where the same ids are those of others', async () => {
    await using s = await stage(lovelace())
    await s.run(['sync', '-q'])
    await s.run(['sync', '-q', '--account', 'y', '--new-account'])
    const file = join(await mkdtemp(join(tmpdir(), 'headcount-erase-')), 'list.json')
    await s.run(['person', 'erase', 'ada@example.org', '--yes', '--no-vacuum'], { env: key })
    const { stdout } = await s.run(['person', 'suppressions', '--json'])
    await writeFile(file, stdout)
    const before = await held(s)
    const erase = () =>
      s.run(['person', 'erase', '--suppressions', file, '--account', 'y', '--yes', '--no-vacuum', '--json'], {
        env: key,
      })
    const refused = await erase()
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /--suppressions ".*list\.json" is the list of account "default", not of "y": .* Nothing was erased\. Name the right account with --account\. If the account was renamed since, change "account" in the list to its present name/,
    )
    expect(await held(s)).toEqual(before)
    // As the message says.
    await writeFile(file, stdout.replace('"default"', '"y"'))
    expect(JSON.parse((await erase()).stdout)).toMatchObject({ account: 'y', erased: { responses: 2 } })
  })

  test('has who was erased with a lost key, by the ids of the responses', async () => {
    await using s = await stage(lovelace())
    await s.run(['sync', '-q'])
    const erase = ['person', 'erase', '--yes', '--no-vacuum']
    await s.run([...erase, 'ada@example.org'], { env: key })
    const newKey = { HEADCOUNT_PERSON_KEY: 'another key, for the first one is lost' }
    expect((await s.run([...erase, 'guest1@example.org', '--replace-key'], { env: newKey })).code).toBe(0)
    const listed = await s.run(['person', 'suppressions'])
    expect(listed.stdout).toMatch(
      /^ *known by ids alone +20\d\d-[^\n]* +2\n *[0-9a-f]{16}… +20\d\d-[^\n]* +\d$/m,
    )
    const restored = await s.run(['person', 'restore', 'ada@example.org'], { env: newKey })
    expect(restored.stdout).toMatch(
      /was not on the suppression list .*\n1 person was erased with a key that was replaced, .* stay erased/,
    )
  })
})

onPostgresCommandStage('person erase', (stage) => {
  test('takes the list of before after a backup was restored', async () => {
    const account = lovelace()
    await using s = await stage(account)
    await synced(s, account)
    const file = join(await mkdtemp(join(tmpdir(), 'headcount-erase-')), 'list.json')
    await s.run(['person', 'erase', 'ada@example.org', '--yes', '--no-vacuum'], { env: key })
    const { stdout } = await s.run(['person', 'suppressions', '--json'])
    await writeFile(file, stdout)
    await s.run(['person', 'restore', 'ada@example.org'], { env: key })
    await s.run(['sync', '-q'])
    expect(await held(s)).toEqual([1, 0])
    const {
      code,
      stderr,
      stdout: receipt,
    } = await s.run(['person', 'erase', '--suppressions', file, '--yes', '--json'], { env: key })
    expect([code, stderr]).toEqual([
      0,
      '1 person of the list will be erased from account default, and stay erased.\n',
    ])
    expect(JSON.parse(receipt)).toMatchObject({
      mode: 'erase',
      status: 'succeeded',
      erased: { responses: 2 },
    })
    expect(await held(s)).toEqual([0, 0])

    const refused = async (content: string, message: RegExp, env = key) => {
      await writeFile(file, content)
      const ran = await s.run(['person', 'erase', '--suppressions', file, '--yes'], { env })
      expect([ran.code, ran.stdout]).toEqual([2, ''])
      expect(ran.stderr).toMatch(message)
    }
    const document = JSON.parse(stdout) as { suppressions: object[] }
    await refused('{', /--suppressions ".*list\.json": it is no JSON document\. .* Nothing was changed/)
    await refused('', /--suppressions ".*list\.json": the file is empty\. It must be what "person suppr/)
    await refused('[]', /list\.json": it is no JSON object/)
    await refused('{}', /headcount_suppressions is not 1/)
    await refused(JSON.stringify({ ...document, account: null }), /account is no name/)
    await refused(
      JSON.stringify({ ...document, key_check: 'x' }),
      /made with another key \(key_check\) than that/,
    )
    const [entry] = document.suppressions
    const broken = (change: object) =>
      JSON.stringify({ ...document, suppressions: [entry, { ...entry, ...change }] })
    await refused(
      broken({ email_hash: 'ada@example.org' }),
      /suppressions\[1\]\.email_hash is neither 64 hex/,
    )
    await refused(broken({ added_at: 'once' }), /suppressions\[1\]\.added_at is no time/)
    await refused(broken({ added_at: '1' }), /suppressions\[1\]\.added_at is no time/)
    const responses = (event_id: unknown, ...ids: unknown[]) => broken({ responses: [{ event_id, ids }] })
    await refused(
      responses('gala', '1', 'x'),
      /list\.json": suppressions\[1\]\.responses\[0\]\.ids\[1\] is no id/,
    )
    await refused(responses('gala', '9223372036854775808'), /\.ids\[0\] is no id of a response/)
    await refused(
      responses('ga\0la', '1'),
      /suppressions\[1\]\.responses\[0\]\.event_id is no id of an event/,
    )
    await refused(broken({ responses: [{ event_id: 'gala' }] }), /responses\[0\]\.ids is no list/)
    await refused(broken({ responses: ['gala'] }), /responses\[0\] is no object/)
  })

  test('refuses what it cannot do, and changes nothing', async () => {
    const account = lovelace()
    await using s = await stage(account)
    await synced(s, account)
    const before = await held(s)
    const errors = [
      [
        ['ada@example.org', '--yes'],
        {},
        /need the key of the suppression list: set HEADCOUNT_PERSON_KEY_FILE/,
      ],
      [['ada@example.org', '--yes'], { HEADCOUNT_PERSON_KEY: 'short' }, /must have 32 characters or more/],
      [['ada@example.org'], key, /no terminal to ask on\. Add --yes/],
      [['Ada', '--yes'], key, /takes an e-mail address, not "Ada"/],
      [[], key, /takes either an e-mail address or --suppressions FILE/],
      [
        ['ada@example.org', '--suppressions', 'x'],
        key,
        /takes either an e-mail address or --suppressions FILE/,
      ],
      [['--suppressions', '/nowhere/list.json'], key, /cannot read "\/nowhere\/list.json" \(ENOENT\)/],
      [['ada@example.org', '--account', 'nrth', '--yes'], key, /has no account "nrth"; it has default/],
    ] as const
    for (const [args, env, message] of errors) {
      const ran = await s.run(['person', 'erase', ...args], { env })
      expect([ran.code, ran.stdout], args.join(' ')).toEqual([2, ''])
      expect(ran.stderr).toMatch(message)
    }
    expect(await held(s)).toEqual(before)
    const nobody = await s.run(['person', 'erase', 'grace@example.org', '--yes'], { env: key })
    expect(nobody.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'No response in account default has the address grace@example.org. It is put on the suppression list all the same',
    )
    const sync = await s.run(['sync'])
    expect([sync.code, sync.stdout]).toEqual([2, ''])
    expect(sync.stderr).toMatch(
      /"default" one person was erased, and without the key[^]*Nothing was read\. Set HEADCOUNT_PERSON_KEY_FILE/,
    )
    expect((await s.run(['sync', '-q'], { env: key })).code).toBe(0)
  })

  test('of two accounts erases one, and names the other', async () => {
    const account = lovelace()
    await using s = await stage(account)
    await synced(s, account)
    await s.run(['sync', '-q', '--account', 'north', '--new-account'])
    const erased = await s.run(['person', 'erase', 'ada@example.org', '--yes', '--json'], { env: key })
    expect(erased.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'Other accounts of this mirror name the address, too: north.',
    )
    expect(JSON.parse(erased.stdout)).toMatchObject({
      account: 'default',
      erased: { responses: 2, versions: 1 },
    })
    expect(await held(s)).toEqual([1, 0])
  })

  test('that is killed between two events is gone on with by the next sync, whatever changed meanwhile', async () => {
    const account = lovelace()
    await using s = await stage(account)
    await synced(s, account)
    await using database = await connect(s.place.url)
    await database.transaction(async (trx) => {
      await trx.query(`select from headcount.responses where event_id = 'picnic' for update`)
      const done = `select count(*)::int from headcount.suppressed_responses where event_id = 'gala'`
      const meanwhile = async (child: ChildProcess) => {
        await expect.poll(async () => (await trx.query(done)).rows, { timeout: 20_000 }).toEqual([[1]])
        child.kill('SIGKILL')
      }
      const killed = await s.run(['person', 'erase', 'ada@example.org', '--yes'], { env: key, meanwhile })
      expect(killed.code).toBeNull()
      const listed = await s.run(['person', 'suppressions'])
      expect(listed.stdout).toMatch(/\n1 person on the list is not erased as a whole yet: /)
    })
    expect(await held(s)).toEqual([1, 0])
    account.of('picnic')[2] = responseItem(8, { ...ada, quantity: 7 })
    const sync = await s.run(['sync'], { env: key })
    expect([sync.code, sync.stderr]).toEqual([
      0,
      expect.stringContaining('An erasure that was broken off was ended'),
    ])
    expect(await held(s)).toEqual([0, 0])
    const { stdout } = await s.run(['runs'])
    expect(stdout).toMatch(/^ *3 +erase +abandoned/m)
  })

  test.skipIf(scriptPath === null)('asks on a terminal (needs script of util-linux)', async () => {
    const account = lovelace()
    await using s = await stage(account)
    await synced(s, account)
    const answer = (stdin: string) =>
      s.onTerminal(['person', 'erase', 'ada@example.org'], { stdin, env: key })
    const no = await answer('n\n')
    expect(no.stdout).toMatch(/Erase this for ever\? \[y\/N\] .*Nothing was erased\./s)
    expect(await held(s)).toEqual([2, 1])
    expect((await answer('y\n')).stdout).toContain('Erased the personal data of 2 responses')
    expect(await held(s)).toEqual([0, 0])
  })
})

onPostgresAccountsStage('person erase with an accounts file', (stage) => {
  test('takes the key that the next run of the account has, whatever the environment says', async () => {
    await using s = await stage({ ada: accountOf({ gala: 2 }), bob: accountOf({ picnic: 2 }) })
    s.folder.write('person.key', key.HEADCOUNT_PERSON_KEY)
    s.folder.write('bob-person.key', 'the key of the suppression list of bob')
    const bob = '  - { name: bob, key_file: keys/bob.key, person_key_file: bob-person.key }\n'
    s.list(['ada'], `${bob}defaults: { person_key_file: person.key }\n`)
    await s.run(['sync', '-q'])
    const env = { HEADCOUNT_PERSON_KEY: 'a key that no account of the file has' }
    for (const account of ['ada', 'bob']) {
      const erase = ['person', 'erase', 'guest2@example.org', '--yes', '--no-vacuum', '--account', account]
      expect((await s.run(erase, { env: account === 'ada' ? env : {} })).code).toBe(0)
    }
    expect(await s.run(['sync', '-q'])).toMatchObject({ code: 0, stderr: '' })
    expect((await s.run(['person', 'restore', 'guest2@example.org', '--account', 'bob'])).code).toBe(0)
    s.list(['ada'], bob.replace('bob-person.key', 'none.key'))
    const faulty = await s.run(['person', 'restore', 'guest2@example.org', '--account', 'bob'])
    expect(faulty).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/person_key_file: cannot read .*none\.key/),
    })
    s.folder.write('accounts.yaml', 'accounts: [')
    const restore = ['person', 'restore', 'guest2@example.org', '--account', 'ada']
    expect((await s.run(restore)).code).toBe(2)
    expect((await s.run(restore, { env: key })).code).toBe(0)
  })
})
