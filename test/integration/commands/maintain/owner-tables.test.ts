/** What the owner says and no service knows: meanings of replies, targets of slots, the zone of an account. */
import { expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { readValuesWithoutMeaning } from '../../../../src/mirror/owner-tables/rsvp-values.ts'
import { accountOf, responseItem, type Account } from '../../../support/accounts/account.ts'
import {
  commandStage,
  onPostgresCommandStage,
  type CommandStage,
} from '../../../support/commands/command-stage.ts'
import { freshMirror, onServer } from '../../../support/databases/databases.ts'

const json = (text: string) => JSON.parse(text) as Record<string, unknown>

/** Replies of several spellings, and slots of two names. */
function villageFair(): Account {
  const account = accountOf({ gala: 0, picnic: 0 })
  account.of('gala').push(
    ...['yes', 'yes!', 'yes!', 'perhaps'].map((rsvp, at) => responseItem(3 * at, { rsvp })),
    // Both have a slot "Setup".
    responseItem(101),
    responseItem(102),
  )
  return account
}

async function synced(s: CommandStage): Promise<void> {
  expect((await s.run(['sync', '-q'])).code).toBe(0)
}

/** What is said on stderr, and the exit code. */
async function said(s: CommandStage, ...args: readonly string[]): Promise<readonly [number | null, string]> {
  const { code, stdout, stderr } = await s.run(args)
  expect(stdout).toBe('')
  return [code, stderr.trimEnd()]
}

onPostgresCommandStage('what the owner says', (stage) => {
  test('is set, listed, counts in the views, and is taken back', async () => {
    await using s = await stage(villageFair())
    await synced(s)
    expect((await s.run(['status'])).stdout).toContain(
      'replies        2 values without a meaning: "yes!" (2), "perhaps" (1): headcount rsvp-meanings set VALUE MEANING\n',
    )
    const coming = async () =>
      (await s.run(['query', "select coming, unknown from event_summary where event_id = 'gala'"])).stdout
    const before = await coming()
    expect(await said(s, 'rsvp-meanings', 'set', 'yes!', 'coming')).toEqual([
      0,
      '"yes!" means coming now: 2 responses.',
    ])
    expect(await coming()).not.toBe(before)
    expect(json((await s.run(['rsvp-meanings', '--json'])).stdout)).toEqual({
      rsvp_meanings: [
        { value: 'yes', meaning: 'coming', responses: 2 },
        { value: 'yes!', meaning: 'coming', responses: 2 },
        { value: 'maybe', meaning: 'maybe', responses: 0 },
        { value: 'no', meaning: 'not_coming', responses: 0 },
      ],
      without_meaning: [{ value: 'perhaps', responses: 1 }],
      has_more: false,
    })
    expect(await said(s, 'rsvp-meanings', 'remove', 'yes!')).toEqual([
      0,
      '"yes!" has no meaning any more (coming before): 2 responses.',
    ])
    expect(await coming()).toBe(before)

    const wanted = async () =>
      (await s.run(['query', "select distinct wanted from slot_summary where slot_name = 'Setup'"])).stdout
    expect(await said(s, 'slot-targets', 'set', '--slot', 'Setup', '--wanted', '5')).toEqual([
      0,
      'Wanted now: 5 people for slot "Setup" of every event, account default.',
    ])
    expect(await wanted()).toBe('wanted\n5\n')
    expect(await said(s, 'slot-targets', 'remove', '--slot', 'Setup')).toEqual([
      0,
      'No target any more for slot "Setup" of every event, account default (5 before).',
    ])
    expect(await wanted()).toBe('wanted\n2\n')

    expect(await said(s, 'accounts', 'set', 'default', '--time-zone', 'Asia/Tokyo')).toEqual([
      0,
      'Days and months of account default are those of Asia/Tokyo now (UTC before).',
    ])
    expect(json((await s.run(['accounts', '--json'])).stdout)).toMatchObject({
      accounts: [{ account: 'default', time_zone: 'Asia/Tokyo' }],
    })
    expect((await s.run(['accounts'])).stdout).toContain('Asia/Tokyo')
    expect(await said(s, 'accounts', 'set', 'default', '--time-zone', 'asia/tokyo')).toEqual([
      2,
      'headcount: The database knows no time zone "asia/tokyo"; the nearest is Asia/Tokyo. Nothing was changed.',
    ])
    expect((await s.run(['accounts', 'set', 'default', '--time-zone', 'CEST'])).stderr).toMatch(
      /knows no time zone "CEST"; zones have names like Europe\/Berlin\./,
    )
    expect(await said(s, 'accounts', 'set', 'default', '--time-zone', 'CET')).toEqual([
      2,
      'headcount: To Postgres "CET" is an offset without summer time; take the name of a place, like Europe/Brussels. Nothing was changed.',
    ])
    expect(
      json((await s.run(['accounts', 'set', 'default', '--time-zone', 'UTC', '--json'])).stdout),
    ).toEqual({
      account: 'default',
      time_zone: 'UTC',
      former_time_zone: 'Asia/Tokyo',
    })
  })
})

onPostgresCommandStage('a meaning of a reply', (stage) => {
  test('may be of a value that no response has, and the nearest one is named', async () => {
    await using s = await stage(villageFair())
    await synced(s)
    expect(await said(s, 'rsvp-meanings', 'set', 'YES', 'coming')).toEqual([
      0,
      '"YES" means coming now. No response has this value now; the nearest value that responses have is "yes".',
    ])
    expect(await said(s, 'rsvp-meanings', 'set', 'YES', 'maybe')).toEqual([
      0,
      '"YES" means maybe now (coming before). No response has this value now; the nearest value that responses have is "yes".',
    ])
    await s.run(['rsvp-meanings', 'set', ' yes', 'maybe'])
    expect((await s.run(['rsvp-meanings'])).stdout).toMatch(/^" yes" +maybe +0$/m)
    await s.run(['rsvp-meanings', 'remove', ' yes'])
    const { code, stdout } = await s.run(['rsvp-meanings', 'set', 'YES', 'maybe', '--json'])
    expect([code, json(stdout)]).toEqual([
      0,
      { value: 'YES', meaning: 'maybe', responses: 0, former_meaning: 'maybe', nearest: 'yes' },
    ])
    expect(json((await s.run(['rsvp-meanings', 'remove', 'YES', '--json'])).stdout)).toEqual({
      value: 'YES',
      meaning: 'maybe',
      responses: 0,
    })
    expect(await said(s, 'rsvp-meanings', 'remove', 'YES')).toEqual([
      2,
      'headcount: The value "YES" has no meaning: the nearest value that has one is "yes". See all with: headcount rsvp-meanings.',
    ])
    expect(await said(s, 'rsvp-meanings', 'set', 'x'.repeat(3000), 'coming')).toEqual([
      2,
      'headcount: The value is longer than 2600 bytes.',
    ])
  })

  test('is the same for every account; --account and --limit bound the list', async () => {
    const account = villageFair()
    await using s = await stage(account)
    await synced(s)
    account.of('picnic').push(responseItem(303, { rsvp: 'if it does not rain' }))
    expect((await s.run(['sync', '-q', '--account', 'south', '--new-account'])).code).toBe(0)
    const listed = async (...flags: readonly string[]) =>
      json((await s.run(['rsvp-meanings', '--json', ...flags])).stdout)
    expect(await listed('--limit', '1')).toMatchObject({
      without_meaning: [{ value: 'yes!', responses: 4 }],
      has_more: true,
    })
    expect(await listed('--account', 'default')).toMatchObject({
      without_meaning: [
        { value: 'yes!', responses: 2 },
        { value: 'perhaps', responses: 1 },
      ],
      has_more: false,
    })
    expect((await s.run(['rsvp-meanings', '--limit', '1'])).stdout).toMatch(
      /^\(more than 1 value without a meaning: .*; --limit shows more\)$/m,
    )
    expect(await said(s, 'rsvp-meanings', '--account', 'nroth')).toEqual([
      2,
      'headcount: The mirror has no account "nroth"; it has default, south.',
    ])
    const status = json((await s.run(['status', '--json'])).stdout)
    expect(status).toMatchObject({
      accounts: [
        { rsvp_without_meaning: [{ value: 'yes!' }, { value: 'perhaps' }] },
        { rsvp_without_meaning: [{ value: 'yes!' }, { value: 'if it does not rain' }, { value: 'perhaps' }] },
      ],
    })
    const monitored = await s.run(['status', '--json', '--max-age', '1h'])
    expect(json(monitored.stdout)).toMatchObject({
      accounts: [{ rsvp_without_meaning: null }, { rsvp_without_meaning: null }],
    })
  })
})

onPostgresCommandStage('a target of slots', (stage) => {
  test('is of one account, event and name, or of every one; what is mistyped is named', async () => {
    const account = villageFair()
    await using s = await stage(account)
    await synced(s)
    expect((await s.run(['slot-targets'])).stdout).toBe(
      'No targets yet: every slot wants 2. headcount slot-targets set says another number.\n',
    )
    expect(await said(s, 'slot-targets', 'set', '--wanted', '1')).toEqual([
      0,
      'Wanted now: 1 person for every slot of every event, account default.',
    ])
    expect(await said(s, 'slot-targets', 'set', '--wanted', '2147483647')).toEqual([
      0,
      'Wanted now: 2,147,483,647 people for every slot of every event, account default (1 before).',
    ])
    expect(
      await said(s, 'slot-targets', 'set', '--event', 'gala', '--slot', 'Setpu', '--wanted', '7'),
    ).toEqual([
      0,
      'Wanted now: 7 people for slot "Setpu" of event "gala", account default.\n' +
        'No live slot of this event has this name now; the nearest name is "Setup".',
    ])
    expect(
      await said(s, 'slot-targets', 'set', '--event', 'picnic', '--slot', 'Setup', '--wanted', '7'),
    ).toEqual([
      0,
      'Wanted now: 7 people for slot "Setup" of event "picnic", account default.\n' +
        'No live slot of this event has this name now; there is no slot of this event at all.',
    ])
    expect(await said(s, 'slot-targets', 'set', '--event', 'gallla', '--wanted', '7')).toEqual([
      2,
      expect.stringMatching(
        /^headcount: The mirror has no event "gallla" \(did you mean gala.*Nothing was changed\./,
      ) as string,
    ])
    expect(json((await s.run(['slot-targets', '--json'])).stdout)).toEqual({
      slot_targets: [
        { event_id: null, event_title: null, slot_name: null, wanted: 2147483647 },
        { event_id: 'gala', event_title: expect.any(String) as string, slot_name: 'Setpu', wanted: 7 },
        { event_id: 'picnic', event_title: expect.any(String) as string, slot_name: 'Setup', wanted: 7 },
      ].map((target) => ({ account: 'default', ...target })),
    })
    expect((await s.run(['slot-targets'])).stdout).toMatch(
      /^default +\(every event\) +\(every slot\) +2,147,483,647$/m,
    )
    expect(await said(s, 'slot-targets', 'remove', '--event', 'gala', '--slot', 'Setup')).toEqual([
      2,
      'headcount: Account "default" has no target for slot "Setup" of event "gala": the nearest is that for ' +
        'slot "Setpu" of event "gala". See all with: headcount slot-targets.',
    ])
    const removed = await s.run(['slot-targets', 'remove', '--event', 'gala', '--slot', 'Setpu', '--json'])
    expect(json(removed.stdout)).toEqual({
      account: 'default',
      event_id: 'gala',
      slot_name: 'Setpu',
      wanted: 7,
    })

    expect((await s.run(['sync', '-q', '--account', 'south', '--new-account'])).code).toBe(0)
    expect((await said(s, 'slot-targets', 'set', '--account', 'south', '--wanted', '9'))[0]).toBe(0)
    // Without a name the account is default, as in a run.
    expect((await said(s, 'slot-targets', 'remove'))[1]).toContain('account default (2,147,483,647 before)')
    expect(json((await s.run(['slot-targets', '--json', '--account', 'south'])).stdout)).toMatchObject({
      slot_targets: [{ account: 'south', wanted: 9 }],
    })
    expect((await s.run(['accounts', 'remove', 'south', '--yes'])).code).toBe(0)
    expect((await s.run(['query', 'select count(*) from slot_targets'])).stdout).toBe('count\n1\n')
  })

  test('is refused, as a zone is, for an account that is half removed', async () => {
    await using s = await stage(villageFair())
    await synced(s)
    {
      await using database = await s.place.open()
      await database.transaction((trx) => trx.query('update headcount.accounts set _removing_since = now()'))
    }
    for (const args of [
      ['slot-targets', 'set', '--wanted', '3'],
      ['accounts', 'set', 'default', '--time-zone', 'Europe/Berlin'],
    ]) {
      expect(await said(s, ...args)).toEqual([2, expect.stringContaining('is half removed') as string])
    }
  })
})

test('an event is found where the role or the database bounds views to another account', async () => {
  await using s = await commandStage('postgres', villageFair())
  await synced(s)
  await onServer(`alter database ${new URL(s.place.url).pathname.slice(1)} set headcount.account = 'another'`)
  expect(await said(s, 'slot-targets', 'set', '--event', 'gala', '--wanted', '3')).toEqual([
    0,
    'Wanted now: 3 people for every slot of event "gala", account default.',
  ])
  const link = await s.run([
    'links',
    'create',
    '--view',
    'slots',
    '--as',
    'csv',
    '--event',
    'gala',
    '--public-url',
    'https://fair.example',
  ])
  expect(link).toMatchObject({ code: 0, stdout: expect.stringMatching(/^https:/) as string })
})

test('replies that cannot be read in time are not waited for', async () => {
  await using mirror = await freshMirror('postgres')
  expect(await readValuesWithoutMeaning(mirror.database, 1000)).toEqual(new Map())
  await using other = await connect(mirror.url)
  await other.transaction(async (trx) => {
    await trx.query('lock table headcount.responses in access exclusive mode')
    expect(await readValuesWithoutMeaning(mirror.database, 100)).toBeNull()
  })
})
