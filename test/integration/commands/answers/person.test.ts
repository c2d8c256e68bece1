/** What is held of one person, and forgetting it in time, on the command line. */
import { expect, test } from 'vitest'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
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
