/** What organisers ask, on the command line: events, one event, persons, changes, thin slots. */
import { expect, test } from 'vitest'
import { accountOf, type Account } from '../../../support/accounts/account.ts'
import { onPostgresCommandStage, type CommandStage } from '../../../support/commands/command-stage.ts'

const DAY_MS = 86_400_000
const inDays = (days: number, time = '18:00:00') =>
  `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T${time}Z`

/** A gala to come, its forerunner, and an event without a time. */
function choir(): Account {
  const account = accountOf({})
  account.add('gala', 0, { title: 'Gala 2026', event_at: inDays(7) })
  account.add('gala-before', 0, { title: 'Gala 2025', event_at: inDays(-30) })
  account.add('someday', 0, { title: 'Some day', event_at: null })
  const slot = (name: string) => ({
    name,
    start_date: inDays(7, '16:00:00'),
    end_date: inDays(7, '17:00:00'),
  })
  const created_at = inDays(-1)
  account.of('gala').push(
    { id: 1, name: 'Ada Lovelace', email: 'Ada@example.org', rsvp: 'yes', quantity: 2, created_at },
    {
      id: 2,
      name: 'Ada L.',
      email: ' ada@EXAMPLE.org',
      amount: '25.50',
      processing_fee: '0.50',
      created_at,
    },
    { id: 3, name: 'Grace', email: 'grace@example.org', slots: [slot('Door')], quantity: 1, created_at },
    { id: 4, name: 'Joan', email: null, rsvp: 'maybe', quantity: 3, created_at },
    {
      id: 5,
      name: 'Kurt',
      email: 'kurt@example.org',
      rsvp: 'no',
      message: 'Sorry!\nNext time.',
      created_at,
    },
    { id: 6, name: 'Emmy', email: 'emmy@example.org', slots: [slot('Bar')], created_at },
  )
  account
    .of('gala-before')
    .push({ id: 7, name: 'Ada', email: 'ada@example.org', rsvp: 'yes', created_at: inDays(-60) })
  return account
}

async function synced(s: CommandStage) {
  expect(await s.run(['sync', '-q', '--all'])).toMatchObject({ code: 0, stderr: '' })
}

async function json(s: CommandStage, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await s.run([...args, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Record<string, unknown>
}

onPostgresCommandStage('all answers', (stage) => {
  test('say who is expected, who withdrew, and which slots need people', async () => {
    const account = choir()
    await using s = await stage(account)
    await synced(s)

    const { events } = await json(s, 'events')
    expect(events).toMatchObject([
      // Ada's two responses count once, Grace and Emmy once each.
      {
        event_id: 'gala',
        days_until: 7,
        expected: '4',
        maybe: '3',
        amount: '25.50',
        thin_slots: '2',
        complete: true,
      },
      { event_id: 'someday', event_day: null, responses: '0' },
    ])
    expect(await json(s, 'events', '--past')).toMatchObject({
      events: [{ event_id: 'gala-before', expected: '1' }],
    })
    expect((await json(s, 'events', '--all'))['events']).toHaveLength(3)

    account.of('gala').splice(5, 1)
    account.of('gala')[3] = { id: 4, name: 'Joan', rsvp: 'yes', quantity: 3, created_at: inDays(-1) }
    account.of('gala').push({
      id: 8,
      name: 'Sofja',
      email: 'sofja@example.org',
      rsvp: 'yes',
      created_at: inDays(0, '00:00:00'),
    })
    await synced(s)

    const { events: details } = await json(s, 'event', 'gala')
    expect(details).toMatchObject([
      {
        summary: { expected: '7', withdrawn_7d: '1', edited_7d: '1' },
        payments: { payments: '1', payers: '1', amount: '25.50', amount_after_fee: '25.00' },
        similar_events: [{ similar_event_id: 'gala-before', people_then: '1' }],
        slots: [{ slot_name: 'Door', people: '1' }],
        changes_total: 3,
        thin_slots: [
          { slot_name: 'Bar', people: '0', missing: '2', emptied_at: expect.any(String) as string },
          { slot_name: 'Door', missing: '1', emptied_at: null },
        ],
      },
    ])
    const shown = await s.run(['event', 'gala'])
    // The day may have ended meanwhile.
    expect(shown.stdout).toMatch(/^Gala 2026\n {2}when .*\(in [67] days\)\n/)
    expect(shown.stdout).toMatch(/^ {2}expected +7 people: 6 say yes, 0 maybe, 1 reply no$/m)
    expect(shown.stdout).toMatch(/^Gala 2025 of .+ UTC had 1 person when it was as far away$/m)
    expect(shown.stdout).toMatch(/Bar +0 +0 +2 +emptied$/m)
    expect(shown.stdout).toMatch(/Joan +rsvp maybe → yes$/m)
    expect(shown.stdout).toMatch(/Emmy +withdrew$/m)
    const short = await s.run(['event', 'gala', '--limit', '1'])
    expect(short.stdout).toMatch(/^and \d more: --limit, or .* who-comes gala$/m)
    expect(short.stdout).toMatch(/^and 2 more: --limit, or .* changes --event gala --since 0$/m)

    const { changes, total, first_readings } = await json(s, 'changes')
    expect({ total, first_readings }).toEqual({ total: '3', first_readings: '10' })
    expect(changes).toMatchObject([
      { entity: 'response', change: 'update', name: 'Joan', fields: ['rsvp'], former: { rsvp: 'maybe' } },
      { entity: 'response', change: 'delete', name: 'Emmy' },
      { entity: 'response', change: 'insert', name: 'Sofja' },
    ])
    expect(await json(s, 'changes', '--since', '2')).toEqual({
      changes: [],
      total: '0',
      pruned_until: null,
      first_readings: '0',
    })
    expect(await json(s, 'changes', '--since', '1', '--event', 'gala-before')).toMatchObject({ total: '0' })

    expect(await json(s, 'digest', '--since', '1')).toMatchObject({
      is_news: true,
      accounts: [{ responses_new: { items: [{ name: 'Sofja' }] }, responses_withdrawn: { total: '1' } }],
    })
    const digest = await s.run(['digest', '--since', '1', '--to', 'stdout'])
    expect(digest).toMatchObject({ code: 0, stderr: '' })
    expect(digest.stdout).toMatch(
      /^default: since .*\n\nWithdrawn: 1\n {2}Gala 2026: Emmy\n\nChanged: 1\n {2}Gala 2026: Joan \(rsvp maybe → yes\b/,
    )
    expect(await s.run(['digest', '--since', '2'])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect((await s.run(['digest', '--since', '2', '--always'])).stdout).toMatch(
      /\nNothing new\.\n|\nSlots of/,
    )

    expect((await json(s, 'thin'))['thin_slots']).toMatchObject([{ slot_name: 'Bar' }, { slot_name: 'Door' }])
    const { who_comes } = await json(s, 'who-comes', 'gala')
    expect(who_comes).toMatchObject([
      { name: 'Ada L.' },
      { name: 'Grace' },
      { name: 'Joan' },
      { name: 'Sofja' },
    ])
    const plain = await s.run(['who-comes', 'gala', '--format', 'plain'])
    expect(plain).toEqual({
      code: 0,
      stdout: 'ada@EXAMPLE.org\ngrace@example.org\nsofja@example.org\n',
      stderr: '',
    })

    expect(await json(s, 'who', 'ADA@example.ORG')).toMatchObject({
      persons: [
        {
          summary: { events: '2', responses: '3', names: '3', events_coming: '2' },
          events: [
            { event_id: 'gala', expected: '2' },
            { event_id: 'gala-before', expected: '1' },
          ],
        },
      ],
      has_more: false,
    })
  })
})

onPostgresCommandStage('answers', (stage) => {
  test('find persons by a part of a name, each response without an address apart', async () => {
    const account = choir()
    // One letter as one character, and as two.
    account.of('gala').push({ id: 20, name: 'Jos\u00e9' }, { id: 21, name: 'Jose\u0301' })
    await using s = await stage(account)
    await synced(s)
    for (const name of ['jos\u00e9', 'jose\u0301'])
      expect(((await json(s, 'who', name))['persons'] as readonly unknown[]).length).toBe(2)
    const found = await s.run(['who', 'jOAn'])
    expect(found.stdout).toMatch(
      /^Joan\n {2}account +default\n {2}address +none: this response is a person of its own\n/,
    )
    expect(await json(s, 'who', 'a', '--limit', '2')).toMatchObject({ has_more: true })
    expect((await s.run(['who', 'nobody'])).stdout).toBe('No name in a response contains "nobody".\n')
    expect((await s.run(['who', 'no@body'])).stdout).toBe('No response has the address no@body.\n')
    expect((await s.run(['who', '100%'])).stdout).toBe('No name in a response contains "100%".\n')
  })

  test('say of an event whose responses could not be read yet where the reason stands', async () => {
    const account = choir()
    account.events.push({ id: 'new one', title: 'Unread' })
    await using s = await stage(account)
    expect((await s.run(['sync', '-q'])).code).toBe(6)
    const { code, stderr } = await s.run(['event', 'new one'])
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /The mirror does not have event "new one" yet: its responses were not read so far\. See why with: .* status --event 'new one'\n$/,
    )
    const status = await s.run(['status', '--event', 'new one'])
    expect(status.stdout).toMatch(/failing +(?!no)/)
  })

  test('refuse what is not there, and name the nearest', async () => {
    await using s = await stage(choir())
    await synced(s)
    const errors = [
      [
        ['event', 'galaa'],
        /The mirror has no event "galaa" \(did you mean gala\?\)\. See the ids with: .*events --all$/,
      ],
      [['who-comes', 'GALA 2026'], /no event "GALA 2026" \(did you mean gala, which has that title\?\)/],
      [['changes', '--event', 'gla-before'], /did you mean gala-before\?/],
      [['changes', '--since', '9999-12-31'], /^headcount: 9999-12-31.* is still to come, it is .* now/],
      [['digest', '--since', '9999-12-31'], /^headcount: 9999-12-31.* is still to come, it is .* now/],
      [['event', 'GALA-BEFORE'], /did you mean gala-before\?/],
      [['changes', '--since', '99'], /There is no run 99; the last one is 1: .* runs lists them\.$/],
      [
        ['changes', '--since', 'tomorrow'],
        /--since must be yesterday, the number of a run, .*, not "tomorrow"$/,
      ],
      [['events', '--past', '--all'], /--past and --all exclude each other$/],
      [['who-comes', 'gala', '--json', '--format', 'plain'], /--json and --format plain exclude each other$/],
      [['who', ' '], /who takes a name or an e-mail address, not an empty text\.$/],
      [['thin', '--account', 'nrth'], /The mirror has no account "nrth"; it has default\.$/],
    ] as const
    for (const [args, message] of errors) {
      const { code, stdout, stderr } = await s.run(args)
      expect([code, stdout], args.join(' ')).toEqual([2, ''])
      expect(stderr.trimEnd()).toMatch(message)
    }
  })

  test('say that there is nothing, of a mirror without events', async () => {
    await using s = await stage(accountOf({}))
    await synced(s)
    expect((await s.run(['events'])).stdout).toMatch(/^No coming events\. See also: .*events --past\n$/)
    expect((await s.run(['changes'])).stdout).toBe('Nothing changed.\n')
    expect((await s.run(['thin'])).stdout).toMatch(
      /^No slot of the next 56 days needs people\.\n\nA slot that nobody ever took/,
    )
    for (const args of [['events'], ['thin'], ['changes'], ['who', 'Ada']])
      expect((await s.run(args)).stderr, args.join(' ')).toBe('')
  })

  test('say that a limit left something out', async () => {
    const account = choir()
    const taken = (hour: string) => ({
      name: `Shift ${hour}`,
      start_date: inDays(5, `${hour}:00:00`),
      end_date: inDays(5, `${hour}:30:00`),
    })
    // No slot is thin that begins in more than eight weeks.
    const later = { name: 'Later', start_date: inDays(70, '10:00:00'), end_date: inDays(70, '11:00:00') }
    account.of('gala').push({ id: 900, name: 'Kim', slots: [...['10', '11'].map(taken), later] })
    await using s = await stage(account)
    await synced(s)
    for (const [command, field] of [
      ['events', 'events'],
      ['thin', 'thin_slots'],
    ] as const) {
      expect((await s.run([command, '--limit', '1'])).stdout, command).toMatch(
        /There are more: --limit, or .*headcount query "table (?:event_summary|thin_slots)"\n/,
      )
      expect((await s.run([command])).stdout, command).not.toContain('There are more')
      const cut = JSON.parse((await s.run([command, '--limit', '1', '--json'])).stdout)
      expect([cut.has_more, cut[field].length], command).toEqual([true, 1])
    }
    // What it says shows the rest.
    const { stdout } = await s.run(['event', 'gala', '--limit', '1', '--account', 'default'])
    expect(stdout).toMatch(/and \d+ more: --limit, or .*who-comes gala --account default\n/)
    expect(stdout).toMatch(/Shift 10 +1 +1 +2 +thin$/m)
    expect(stdout).toMatch(/Later +1 +1 +2$/m)
  })

  test('cut a long message in the list of guests, and have it whole for one person and in JSON', async () => {
    const account = choir()
    const message = `We come\n${'and sing '.repeat(40)}to the end.`
    account.of('gala').push({ id: 8, name: 'Sofja', email: 'sofja@example.org', rsvp: 'yes', message })
    await using s = await stage(account)
    await synced(s)
    for (const command of ['event', 'who-comes']) {
      const { stdout } = await s.run([command, 'gala'])
      expect(stdout, command).toMatch(/^Sofja .* We come and sing and sing .*…$/m)
      expect(Math.max(...stdout.split('\n').map(({ length }) => length)), command).toBeLessThan(150)
    }
    expect((await s.run(['who', 'sofja@example.org'])).stdout).toContain('to the end.')
    const { who_comes } = await json(s, 'who-comes', 'gala')
    expect(who_comes).toContainEqual(expect.objectContaining({ name: 'Sofja', messages: message }))
  })

  test('tell what is there again from what is new', async () => {
    const account = choir()
    await using s = await stage(account)
    await synced(s)
    const [ada] = account.of('gala').splice(0, 1)
    // The event gala-before.
    const [before] = account.events.splice(1, 1)
    await synced(s)
    account.of('gala').push(ada ?? {}, { id: 9, name: 'Sofja', rsvp: 'yes' })
    account.events.push(before)
    await synced(s)

    expect(await json(s, 'changes', '--since', '2')).toMatchObject({
      changes: [
        { entity: 'event', event_id: 'gala-before', change: 'insert', returned: true },
        { entity: 'response', name: 'Ada Lovelace', returned: true },
        { entity: 'response', name: 'Sofja', returned: false },
        { entity: 'response', event_id: 'gala-before', returned: true },
      ],
    })
    const { stdout } = await s.run(['changes', '--since', '2'])
    expect(stdout).toMatch(/Gala 2025 +listed again$/m)
    for (const shown of [stdout, (await s.run(['event', 'gala'])).stdout]) {
      expect(shown).toMatch(/Ada Lovelace +is there again$/m)
      expect(shown).toMatch(/Sofja +answered$/m)
    }
  })

  test('say that history was pruned since the moment that is asked about', async () => {
    const account = choir()
    await using s = await stage(account)
    await synced(s)
    account.of('gala')[0] = Object.assign({}, account.of('gala')[0], { quantity: 7 })
    await synced(s)
    const { stdout } = await s.run(['query', 'select max(changed_at) as at from changes', '--json'])
    const at = /\d{4}-[^"]+Z/.exec(stdout)?.[0] ?? ''
    expect((await s.run(['changes', '--since', '1'])).stdout).not.toContain('pruned')
    expect((await s.run(['prune', '--history-before', at, '--yes'])).code).toBe(0)
    for (const args of [
      ['changes', '--since', '1'],
      ['changes', '--since', '0', '--json'],
      ['digest', '--since', '1', '--always'],
    ])
      expect((await s.run(args)).stdout, args.join(' ')).toMatch(/History was pruned|"pruned_until": ?"2/)
    // After that moment all is told.
    expect((await s.run(['changes', '--since', at])).stdout).not.toContain('pruned')
  })

  test('of a mirror that nothing was read into yet give no answer', async () => {
    await using s = await stage(choir())
    expect((await s.run(['migrate'])).code).toBe(0)
    for (const args of [['events'], ['thin', '--json'], ['changes'], ['who', 'Ada'], ['event', 'gala']]) {
      const { code, stdout, stderr } = await s.run(args)
      expect([code, stdout], args.join(' ')).toEqual([5, ''])
      expect(stderr).toMatch(
        /Nothing was read into this mirror yet \(it has no account\).* Run .*headcount sync first/,
      )
    }
  })
})
