/** What is held of one person, and forgetting it in time, on the command line. */
import { expect, test } from 'vitest'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import { erasePerson, planErasure } from '../../../../src/index.ts'
import { change } from '../../../support/databases/older-schema.ts'
import { onBothCommandStages, onPostgresCommandStage } from '../../../support/commands/command-stage.ts'

const ada = { name: 'Ada Lovelace', email: 'Ada@Example.org', message: 'see you' }

/** Ada answers two events, changes her address in one and withdraws the other; others name her. */
function lovelace() {
  const account = accountOf({})
  account.add('gala', 2, { title: 'Gala', event_at: '2026-05-01T18:00:00Z' })
  account.add('picnic', 2, { title: 'Picnic', description: 'ask ADA@example.org' })
  account.of('gala').push(responseItem(7, ada))
  account.of('picnic').push(responseItem(8, ada), responseItem(9, { message: 'I come with ada@example.org' }))
  account.of('picnic').push({ ...ada, no: 'id' })
  return account
}

onBothCommandStages('person show', (stage) => {
  test('shows responses, former versions and every other place that names the address', async () => {
    const account = lovelace()
    await using s = await stage(account)
    await s.run(['sync', '-q'])
    account.of('gala')[2] = responseItem(7, { ...ada, email: 'countess@example.org', phone: '555' })
    account.of('picnic').splice(2, 1)
    account.of('picnic').pop()
    await s.run(['sync', '-q', '--all'])
    account.of('picnic').push({ ...ada, no: 'id' })
    await s.run(['sync', '-q', '--all'])

    const { code, stdout } = await s.run(['person', 'show', 'ADA@example.org', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      email_key: 'ada@example.org',
      responses: [
        {
          account: 'default',
          event_id: 'gala',
          event_title: 'Gala',
          response_id: '7',
          document: { name: 'Ada Lovelace', email: 'countess@example.org', phone: '555' },
        },
      ],
      versions: [
        { event_id: 'gala', response_id: '7', operation: 'update', document: { email: 'Ada@Example.org' } },
        { event_id: 'picnic', response_id: '8', operation: 'delete', document: { message: 'see you' } },
      ],
      mentions: [
        {
          place: 'responses.message',
          event_id: 'picnic',
          row: '9',
          text: 'I come with ada@example.org',
        },
        { place: 'events.description', event_id: 'picnic', row: null, text: 'ask ADA@example.org' },
        { place: 'rejects.payload', event_id: 'picnic', row: '3' },
      ],
    })
    const shown = await s.run(['person', 'show', 'ada@example.org'])
    expect(shown.stdout).toMatch(/^ada@example\.org\n {2}1 response, 2 former versions, 3 other places\n/)
    expect(shown.stdout).toMatch(/^ {2}phone +555$/m)
    expect(shown.stdout).toMatch(/then the service returned it no longer \(run 2\)$/m)
    expect(shown.stdout).toMatch(/\nNot looked into: the service itself, backups and write-ahead logs/)
    expect(shown.stdout).not.toContain('Guest')
  })
})

onBothCommandStages('an address with letters outside A to Z', (stage) => {
  test('in another case is another person, whom person show and person erase name', async () => {
    const account = accountOf({ gala: 0 })
    const jörg = { name: 'Jörg', email: 'jörg@example.org' }
    const shouted = { name: 'Jörg', email: 'JÖRG@example.org', message: 'soon' }
    account.of('gala').push(responseItem(1, jörg), responseItem(2, shouted), responseItem(3, shouted))
    await using s = await stage(account)
    await s.run(['sync', '-q'])
    account.of('gala')[2] = responseItem(3, { ...shouted, email: 'j@example.org' })
    await s.run(['sync', '-q', '--all'])

    const { stdout } = await s.run(['person', 'show', 'Jörg@example.org', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      email_key: 'jörg@example.org',
      responses: [{ response_id: '1' }],
      mentions: [
        { place: 'responses.email', event_id: 'gala', row: '2', text: 'JÖRG@example.org' },
        { place: 'response_history.document', event_id: 'gala', row: '3' },
      ],
    })
    const env = { HEADCOUNT_PERSON_KEY: 'a key of the suppression list for tests only' }
    const erase = ['person', 'erase', 'jörg@example.org', '--yes', '--no-vacuum', '--json']
    const erased = await s.run(erase, { env })
    expect(erased.stderr).toContain('2 other places name the address and stay as written')
    expect(JSON.parse(erased.stdout)).toMatchObject({ erased: { responses: 1 }, stays: { length: 2 } })
  })
})

onPostgresCommandStage('person show, of places that are no text of a response,', (stage) => {
  test('names them before an erasure and after it, and the receipt those that it did not change', async () => {
    const account = accountOf({})
    account.add('gala', 0, { title: 'Gala' })
    const emails = [
      'Ada <ADA@example.org>',
      'mailto:ada@example.org',
      'ada@example.org\u200b',
      'ada@example.org\u00a0',
      "'ada@example.org'.",
      // Of others:
      'x.ada@example.org',
      'ada@example.org.uk',
      "o'ada@example.org",
    ]
    account.of('gala').push(...emails.map((email, at) => responseItem(at + 1, { email, message: null })))
    account
      .of('gala')
      .push(responseItem(20, ada), { ...ada, no: 'id' }, { email: 'ada@example.com', no: 'id' })
    await using s = await stage(account)
    await s.run(['sync', '-q'])
    await (async () => {
      await using database = await s.place.open()
      await change(database, [
        `update headcount.rejects set payload = replace(payload, '@', '\\u0040')`,
        // Its number and event are those of a response of hers.
        `insert into headcount.deliveries (id, account_id, kind, name, event_id, recipient_sha256, recipient, error_message)
           overriding system value
         values (20, 1, 'digest', 'default', 'gala', 'a', 'mailto:ada@example.org', 'no mailbox <ada@example.org>'),
                (21, 1, 'digest', 'default', 'gala', 'b', 'mailto:x.ada@example.org', null)`,
        `insert into headcount.api_keys (account_id, sha256, label) values (1, 'a', 'for ada@example.org')`,
        `insert into headcount.links (account_id, sha256, view, format, with_personal, label)
         values (1, 'a', 'events', 'csv', true, 'Ada@Example.org reads it')`,
      ])
    })()
    const places = async () => {
      const { stdout } = await s.run(['person', 'show', 'ada@example.org', '--json'])
      const { mentions } = JSON.parse(stdout) as { mentions: Record<string, unknown>[] }
      return mentions.map(({ place, event_id, row, text }) => [place, event_id, row, text])
    }
    const stays = [
      ...emails.slice(0, 5).map((email, at) => ['responses.email', 'gala', String(at + 1), email]),
      ['deliveries.recipient', 'gala', '20', 'mailto:ada@example.org'],
      ['deliveries.error_message', 'gala', '20', 'no mailbox <ada@example.org>'],
      ['api_keys.label', null, '1', 'for ada@example.org'],
      ['links.label', null, '1', 'Ada@Example.org reads it'],
    ]
    expect(await places()).toEqual([
      ...stays.slice(0, 5),
      ['rejects.payload', 'gala', '9', 'Ada@Example.org'],
      ...stays.slice(5),
    ])
    const env = { HEADCOUNT_PERSON_KEY: 'a key of the suppression list for tests only' }
    const erase = ['person', 'erase', 'ada@example.org', '--yes', '--no-vacuum', '--json']
    expect(JSON.parse((await s.run(erase, { env })).stdout)).toMatchObject({
      erased: { responses: 1, rejects: 1 },
      stays: [
        { place: 'responses.email', rows: 5 },
        { place: 'deliveries.recipient', rows: 1 },
        { place: 'deliveries.error_message', rows: 1 },
        { place: 'api_keys.label', rows: 1 },
        { place: 'links.label', rows: 1 },
      ],
    })
    expect(await places()).toEqual(stays)
  })
})

onPostgresCommandStage('person show', (stage) => {
  test('says that nothing is held, and refuses what is no address', async () => {
    await using s = await stage(lovelace())
    await s.run(['sync', '-q'])
    const nobody = await s.run(['person', 'show', 'grace@example.org'])
    expect(nobody).toMatchObject({ code: 0, stderr: '' })
    expect(nobody.stdout).toMatch(/^Nothing in the mirror names grace@example\.org\.\nNot looked into/)
    const errors = [
      [['person', 'show', 'Ada'], /person takes an e-mail address, not "Ada": for a name, .* who shows/],
      [['person', 'show', ' '], /person takes an e-mail address, not " "/],
      [['person', 'show', 'a@b', '--account', 'nrth'], /has no account "nrth"; it has default/],
      [['person'], /person takes a command: .*person show EMAIL, person erase EMAIL, .*person suppressions$/],
    ] as const
    for (const [args, message] of errors) {
      const { code, stdout, stderr } = await s.run(args)
      expect([code, stdout], args.join(' ')).toEqual([2, ''])
      expect(stderr.trimEnd()).toMatch(message)
    }
  })

  test('keeps two accounts apart', async () => {
    await using s = await stage(lovelace())
    await s.run(['sync', '-q'])
    await s.run(['sync', '-q', '--account', 'north', '--new-account'])
    const found = async (...of: readonly string[]) => {
      const { stdout } = await s.run(['person', 'show', 'ada@example.org', '--json', ...of])
      const { responses, mentions } = JSON.parse(stdout) as Record<string, readonly { account: string }[]>
      return [responses, mentions].map((rows = []) => rows.map(({ account }) => account).join(' '))
    }
    expect(await found('--account', 'north')).toEqual(['north north', 'north north north'])
    expect(await found()).toEqual([
      'default default north north',
      'default north default north default north',
    ])
  })

  test('shows nothing of events that are forgotten, and the report says what was forgotten', async () => {
    const account = lovelace()
    Object.assign(Object(account.events[0]), { event_at: '2020-05-01T18:00:00Z' })
    await using s = await stage(account)
    await s.run(['sync', '-q'])
    const plan = await s.run(['sync', '--dry-run'], { env: { HEADCOUNT_FORGET_AFTER: '365d' } })
    const line = /^ {2}forgotten +1 event: personal data of 3 responses$/m
    expect(plan.stderr).toMatch(line)
    const ran = await s.run(['sync', '--forget-after', '365d'])
    expect(ran.stderr).toMatch(line)
    const { stdout } = await s.run(['person', 'show', 'ada@example.org', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ responses: [{ event_id: 'picnic' }], versions: [] })
    const event = await s.run(['event', 'gala'])
    expect(event.stdout).toMatch(/^ +people +names, addresses and messages were forgotten on 20\d\d-/m)
    for (const wrong of ['1', '12h', 'never']) {
      const refused = await s.run(['sync', '--forget-after', wrong])
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--forget-after must')])
    }
  })
})

const personKey = 'one key of the mirror, of 32 characters and more'
const otherKey = 'another key than that one, of 32 characters and more'

onPostgresCommandStage('a person in a mirror of pseudonyms', (stage) => {
  test('is found with the key; without it, or with another one, no answer looks like "nobody"', async () => {
    await using s = await stage(lovelace())
    const runs = { HEADCOUNT_PSEUDONYMISE: 'email,name', HEADCOUNT_PERSON_KEY: personKey }
    expect((await s.run(['sync', '-q'], { env: runs })).code).toBe(8)
    const ask = async (key: string | null, ...args: readonly string[]) => {
      const { code, stdout } = await s.run([...args, '--json'], {
        env: key === null ? {} : { HEADCOUNT_PERSON_KEY: key },
      })
      expect(code).toBe(0)
      return JSON.parse(stdout) as Record<string, unknown[]>
    }

    for (const searched of ['ada@example.org', ' ADA@Example.org', 'Ada Lovelace', 'ada lovelace'])
      expect(await ask(personKey, 'who', searched), searched).toMatchObject({
        persons: [{ events: [{ event_id: 'gala' }, { event_id: 'picnic' }] }],
      })
    expect(await ask(personKey, 'who', 'ada@example.org')).toMatchObject({ notes: [] })
    expect(await ask(personKey, 'who', 'Lovelace')).toEqual({
      persons: [],
      has_more: false,
      notes: ['account default stores names as pseudonyms: only whole names are found in it'],
    })
    const { persons } = await ask(null, 'who', 'person-')
    const [pseudonym = ''] = (persons as { email: string | null }[]).flatMap(({ email }) => email ?? [])
    expect(await ask(null, 'who', pseudonym)).toMatchObject({ persons: [{ email: pseudonym }], notes: [] })

    const missing =
      'account default stores addresses as pseudonyms, and their key is not given (HEADCOUNT_PERSON_KEY_FILE): nobody in it is found by one'
    const wrong =
      'account default stores addresses as pseudonyms, made with another key than that of HEADCOUNT_PERSON_KEY_FILE: nobody in it is found by one'
    for (const [key, note] of [
      [null, missing],
      [otherKey, wrong],
    ] as const) {
      expect(await ask(key, 'who', 'ada@example.org')).toMatchObject({ persons: [], notes: [note] })
      expect(await ask(key, 'person', 'show', 'ada@example.org')).toMatchObject({
        responses: [],
        notes: [note],
      })
    }
    expect(await ask(personKey, 'person', 'show', 'ada@example.org')).toMatchObject({
      responses: [{ event_id: 'gala' }, { event_id: 'picnic' }],
      notes: [],
    })
    const { stdout } = await s.run(['who', 'ada@example.org'])
    expect(stdout).toBe(`No response has the address ada@example.org.\nNote: ${missing}.\n`)
    expect((await s.run(['person', 'show', 'ada@example.org'])).stdout).toContain(`Note: ${missing}.\n`)
    // For a mail program.
    expect((await s.run(['who-comes', 'gala', '--format', 'plain'])).stdout).toBe('')
  })

  test('is found by nothing that is left out, and the answer says so', async () => {
    await using s = await stage(lovelace())
    await s.run(['sync', '-q'], { env: { HEADCOUNT_LEAVE_OUT: 'responses.email' } })
    const note = 'Note: account default stores no addresses (HEADCOUNT_LEAVE_OUT).\n'
    expect((await s.run(['who', 'ada@example.org'])).stdout).toBe(
      `No response has the address ada@example.org.\n${note}`,
    )
    expect((await s.run(['person', 'show', 'ada@example.org'])).stdout).toContain(note)
    expect((await s.run(['who', 'Lovelace'])).stdout).not.toContain('Note:')
  })

  test('is not erased with another key, which would find nobody and say that it is done', async () => {
    await using s = await stage(lovelace())
    const runs = { HEADCOUNT_PSEUDONYMISE: 'email', HEADCOUNT_PERSON_KEY: personKey }
    await s.run(['sync', '-q'], { env: runs })
    const erase = (key: string, ...flags: readonly string[]) =>
      s.run(['person', 'erase', 'ada@example.org', '--yes', ...flags], { env: { HEADCOUNT_PERSON_KEY: key } })
    expect(await erase(otherKey)).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'headcount: Account "default" stores addresses as pseudonyms, made with another key than that of HEADCOUNT_PERSON_KEY_FILE: ' +
        'nobody in it is found by an address, and nothing was erased. Set HEADCOUNT_PERSON_KEY_FILE to the key of its runs.\n',
    })
    for (const call of [
      () => planErasure({ database: s.place.url, email: 'ada@example.org' }),
      () => erasePerson({ database: s.place.url, email: 'ada@example.org', personKey: otherKey }),
    ])
      await expect(call()).rejects.toThrow(
        /^Account "default" stores addresses as pseudonyms, .* nothing was erased\./,
      )
    // No list of another key keeps the next run from the account.
    expect((await s.run(['sync', '-q'], { env: runs })).code).toBe(8)
    expect(await erase(personKey)).toMatchObject({ code: 0, stdout: expect.stringContaining('2 responses') })
  })
})
