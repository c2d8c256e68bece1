/** Fields that are never stored, and pseudonyms in place of names and addresses. */
import { expect, test } from 'vitest'
import { digest, erasePerson, person, restorePerson } from '../../../../src/index.ts'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import { send } from '../../../support/http/fault-server.ts'
import { onBothStages, onPostgresStage, optionOf, type Stage } from '../../../support/runs/stage.ts'
import { inWords, verifyOn } from '../../../support/runs/verify.ts'
import { lastChanges, servedAround, written } from './last-run.ts'

const personKey = 'a key of the suppression list for tests only'
const leaveOut = { leaveOut: ['responses.message', 'responses._extra.phone', 'slots._extra.who'] }
const pseudonymise = { pseudonymise: ['email', 'name'], personKey }

/** What must not be stored with `leaveOut`. */
const LEFT_OUT = /analytical|555-1815|slot of Ada/i

const ada = (id: number, fields: object = {}) =>
  responseItem(id, {
    name: 'Ada "L"',
    email: 'Ada@Example.org',
    message: 'the Analytical Engine',
    phone: '555-1815',
    diet: 'none',
    slots: [{ name: 'Bar', who: 'slot of Ada', size: 3 }],
    ...fields,
  })

function account() {
  const made = accountOf({ gala: 3, picnic: 2 })
  made.of('gala').push(ada(7), ada(8, { message: { text: 'analytical' }, email: ['ada@example.org'] }))
  made.of('gala').push({ name: 'Ada', message: 'analytical', no: 'id' })
  made
    .of('picnic')
    .push(
      ada(9, { rsvp: 'the Analytical Engine', message: 'the Analytical Engine', email: 'ada@example.org' }),
    )
  return made
}

/** Every row that a run may write; views show nothing else. */
async function dump(on: Stage): Promise<string> {
  const tables = [
    'responses',
    'slots',
    'response_history',
    'rejects',
    'api_observations',
    'sync_state',
    'sync_runs',
  ]
  const rows = await on.query(
    tables.map((table) => `select t::text from headcount.${table} t`).join(' union all '),
  )
  return rows.join('\n')
}

const lines = (text: string, pattern: RegExp) => text.split('\n').filter((line) => pattern.test(line))

onBothStages('fields that are left out', (stage) => {
  test('are never written, logged, observed or served; verify and backfill expect it', async () => {
    await using on = await stage(account())
    let said = ''
    for (const [mode, options] of [
      ['sync', {}],
      ['sync', { all: true, inMemoryBytes: 1 }],
      ['backfill', {}],
    ] as const) {
      const ended = await on.run(mode, { ...leaveOut, ...options })
      said += ended.said
      expect([mode, ended.report.rejected]).toEqual([mode, 1])
    }
    expect(said).not.toMatch(LEFT_OUT)
    // A reply that repeats the message is one that the specification calls a reply.
    expect(lines(await dump(on), LEFT_OUT).filter((line) => !/^\(1,picnic,9,|""id"": 9,/.test(line))).toEqual(
      [],
    )
    expect(await on.query(`select name, message, _extra from headcount.responses where id = 7`)).toEqual([
      ['Ada "L"', null, { diet: 'none' }],
    ])
    expect(await on.query(`select _extra from headcount.slots where response_id = 7`)).toEqual([
      [{ size: 3 }],
    ])
    expect(await on.query(`select payload from headcount.rejects`)).toEqual([['{"name":"Ada","no":"id"}']])
    for (const thorough of [false, true])
      expect(inWords(await verifyOn(on, { ...leaveOut, thorough }))).toEqual([])
  })
})

onBothStages('pseudonyms', (stage) => {
  test('come into history when that is asked for, and stay when it is asked again', async () => {
    await using on = await stage(account())
    await on.run('sync')
    on.account.of('gala')[3] = ada(7, { quantity: 5 })
    await on.run('sync', { all: true })
    const { report } = await on.run('sync', { ...pseudonymise, applyToHistory: true })
    expect(report.rewritten_versions).toBe(1)
    const [[now, then] = []] = await on.query(
      `select r.email, h.document->>'email' from headcount.responses r
         join headcount.response_history h on h.event_id = r.event_id and h.response_id = r.id`,
    )
    expect(then).toBe(now)
    expect((await on.run('sync', { ...pseudonymise, applyToHistory: true })).report.rewritten_versions).toBe(
      0,
    )
  })
})

onBothStages('rows that no reading makes anew', (stage) => {
  /** Twenty more of each list, who hold a loss back; and Ada, of whom a former version is in history. */
  async function stageBefore(): Promise<Stage> {
    const made = account()
    for (let id = 101; id <= 120; id++) {
      made.of('gala').push(ada(id))
      made.of('picnic').push(ada(id))
    }
    const on = await stage(made)
    await on.run('sync')
    return on
  }
  const rules = { leaveOut: [...leaveOut.leaveOut, 'responses.email'], pseudonymise: ['name'], personKey }
  const NAMED = /analytical|555-1815|slot of Ada|ada@example|Ada "L"|Ada ""L""/i
  /** What is stored of everybody, but for former versions. */
  const storedLive = async (on: Stage) =>
    lines(
      (
        await on.query(
          ['responses', 'slots', 'rejects']
            .map((table) => `select t::text from headcount.${table} t`)
            .join(' union all '),
        )
      ).join('\n'),
      NAMED,
    ).filter((line) => !line.includes('picnic,9,'))

  test('held responses are stored as the settings say; once removed, their former versions too', async () => {
    await using on = await stageBefore()
    on.account.of('gala').splice(2)
    const versions = async () =>
      on.query(`select list_version from headcount.sync_state where event_id = 'gala'`)
    const before = await versions()
    const { report } = await on.run('sync', { ...rules, all: true, applyToHistory: true })
    expect(report.held).toBeGreaterThan(10)
    expect(await storedLive(on)).toEqual([])
    expect(await versions()).not.toEqual(before)
    await on.run('sync', { ...rules, all: true, acceptDeletions: true })
    const removed = await on.query(
      `select document from headcount.response_history where operation = 'delete' and event_id = 'gala'`,
    )
    expect(removed.length).toBeGreaterThan(10)
    expect(JSON.stringify(removed)).not.toMatch(NAMED)
    expect(inWords(await verifyOn(on, rules))).toEqual([])
  })

  test('a response whose item cannot be stored any more is stored as the settings say', async () => {
    await using on = await stageBefore()
    let deep: unknown = 1
    for (let level = 0; level < 2000; level++) deep = [deep]
    on.account.of('gala')[3] = ada(7, { deep })
    expect((await on.run('sync', rules)).report.rejected).toBeGreaterThan(0)
    expect(await storedLive(on)).toEqual([])
    expect(await on.query(`select count(*)::int from headcount.responses where id = 7`)).toEqual([[1]])
  })

  test('an event that is held, and a list that cannot be read, are stored as the settings say', async () => {
    await using on = await stageBefore()
    on.account.remove('gala')
    on.service.at('/events/picnic/responses', send({ status: 422 }))
    const { report } = await on.run('sync', { ...rules, all: true })
    expect(report).toMatchObject({ status: 'partial', held: 1 })
    expect(await storedLive(on)).toEqual([])
    // What a reading makes anew later is the same.
    on.account.add('gala', 0)
    on.account.of('gala').push(ada(7), ada(101))
    await on.run('sync', { ...rules, all: true })
    expect(await storedLive(on)).toEqual([])
  })
})

onBothStages('what is stored again in another form', (stage) => {
  const rules = { leaveOut: [...leaveOut.leaveOut, 'responses.email'], pseudonymise: ['name'], personKey }
  /** Every change of a response, in both views and in a digest. */
  const told = async (on: Stage) => ({
    fields: await on.query(`select event_id, response_id, field, old_value from headcount.response_changes
                             where change = 'update' order by run_id, event_id, field`),
    items: await on.query(`select event_id, response_id, fields, former from headcount.changes
                            where change = 'update' order by run_id, event_id`),
    digest: (await digest({ ...optionOf(on.target), since: 0 })).accounts[0]?.responses_changed.items.map(
      ({ response_id, fields }) => [response_id, fields.map(({ field }) => field)],
    ),
  })
  async function change(on: Stage, fields: object, options: object = {}) {
    on.account.of('gala')[3] = ada(7, fields)
    on.account.of('picnic')[2] = ada(9, fields)
    await on.run('sync', { all: true, ...options })
  }

  test('is no change of a response that had changed before, nor when it comes back', async () => {
    await using on = await stage(account())
    await change(on, {})
    await change(on, { quantity: 5 })
    await change(on, { quantity: 6, slots: [{ name: 'Door', who: 'slot of Ada', size: 3 }] })
    const before = await told(on)
    expect(before.fields).toHaveLength(6)
    on.service.at('/events/picnic/responses', send({ status: 422 }))
    expect((await on.run('sync', rules)).report.status).toBe('partial')
    expect(await told(on)).toEqual(before)
    await on.run('sync', rules)
    expect(await told(on)).toEqual(before)
    await on.run('sync')
    expect(await told(on)).toEqual(before)
    await erasePerson({ ...optionOf(on.target), email: 'ada@example.org', personKey })
    const erased = await told(on)
    await restorePerson({ ...optionOf(on.target), email: 'ada@example.org', personKey })
    await on.run('sync')
    expect(await told(on)).toEqual(erased)
  })

  test('changes in nothing else than the service changed meanwhile', async () => {
    await using on = await stage(account())
    await change(on, {})
    await change(on, { quantity: 5 })
    await change(on, { quantity: 6 }, rules)
    await change(on, { quantity: 7 })
    const { items } = await told(on)
    expect(items.map(([, id, fields]) => [id, fields])).toEqual(
      [5, 6, 7].flatMap(() => ['7', '9'].map((id) => [id, ['quantity']])),
    )
  })
})

/** Their statements are those of the tests above. */
onPostgresStage('fields that are left out (postgres)', (stage) => {
  test('go from more held responses than are stored again at once, of several events', async () => {
    const held = accountOf({ gala: 5000, picnic: 2 })
    held.of('gala').push(ada(50_001), ada(50_002))
    held.of('picnic').push(ada(7))
    await using on = await stage(held)
    await on.run('sync')
    held.of('gala').splice(-2, 2, ada(50_001, { quantity: 5 }), ada(50_002, { quantity: 5 }))
    held.of('picnic').splice(-1, 1, ada(7, { quantity: 5 }))
    await on.run('sync', { all: true })
    held.remove('gala')
    held.remove('picnic')
    await on.run('sync', { ...leaveOut, all: true })
    expect(
      await on.query(`
        select e.id, count(r.message)::int, count(r._extra)::int,
               (select count(restated_fields)::int from headcount.response_history h where h.event_id = e.id)
          from headcount.events e
          join headcount.responses r on r.event_id = e.id
         group by e.id order by e.id`),
    ).toEqual([
      ['gala', 0, 2, 2],
      ['picnic', 0, 1, 1],
    ])
    expect(await on.query(`select _extra from headcount.responses where _extra ? 'phone'`)).toEqual([])
  })

  test('may be all that the specification does not name, with values that fit no column', async () => {
    await using on = await stage(account())
    const all = { leaveOut: ['responses._extra', 'slots._extra'] }
    const { report } = await on.run('sync', all)
    expect(report.set_aside).toBe(0)
    expect(
      await on.query(
        `select count(_extra)::int from headcount.responses union all select count(_extra)::int from headcount.slots`,
      ),
    ).toEqual([[0], [0]])
    on.account.of('gala')[3] = ada(7, { quantity: 5 })
    await on.run('sync', { ...all, all: true })
    expect((await on.run('sync', { ...all, applyToHistory: true })).report.rewritten_versions).toBe(0)
    expect(inWords(await verifyOn(on, all))).toEqual([])
  })

  test('stand in no message, whatever the service answers in place of a list; nor does what was forgotten or erased', async () => {
    await using on = await stage(account())
    await on.run('sync', { ...leaveOut })
    const answers = [
      send({ body: { data: [ada(7)] } }),
      send({ status: 422, body: { error: 'no slot of Ada' } }),
    ]
    for (const options of [leaveOut, { forgetAfterMs: 86_400_000 }]) {
      await on.run('sync', { all: true, ...options })
      for (const answer of answers) {
        on.service.at('/events/gala/responses', answer)
        const { report, said } = await on.run('sync', { all: true, ...options })
        expect(report.status).toBe('partial')
        expect(said).toContain('(not shown, for personal data are left out, forgotten or erased)')
        expect(said).not.toMatch(LEFT_OUT)
        expect(
          lines(await dump(on), /analytical|slot of Ada/i).filter((line) =>
            /not a list|(?<![\d.:])422(?!\d)/.test(line),
          ),
        ).toEqual([])
      }
    }
    // Without such settings the answer is quoted, until somebody was erased.
    await on.run('sync', { all: true })
    on.service.at('/events/gala/responses', answers[1] ?? send({}))
    expect((await on.run('sync', { all: true })).said).toContain('no slot of Ada')
    await erasePerson({ ...optionOf(on.target), email: 'ada@example.org', personKey })
    on.service.at('/events/gala/responses', answers[1] ?? send({}))
    expect((await on.run('sync', { all: true, personKey })).said).not.toContain('slot of Ada')
  })

  test('are left out of slots that are none, too', async () => {
    const made = account()
    const slot = { name: 'Bar', who: 'slot of Ada' }
    made.of('gala').push(ada(20, { slots: { 0: slot } }), ada(21, { slots: [[slot]] }), {
      slots: { 0: slot },
      rsvp: 'yes',
    })
    await using on = await stage(made)
    await on.run('sync', leaveOut)
    expect(lines(await dump(on), /slot of Ada/)).toEqual([])
    // They are what they would be if all was stored.
    expect(await on.query(`select kind from headcount.responses where id in (20, 21) order by id`)).toEqual([
      ['signup'],
      ['mixed'],
    ])
  })

  test('that alone changed write nothing, and the list counts as unchanged', async () => {
    await using on = await stage(account())
    await on.run('sync', leaveOut)
    const versions = await on.query(`select event_id, list_version from headcount.sync_state order by 1`)
    on.account.of('gala')[3] = ada(7, { message: 'another', phone: '1' })
    on.account.of('gala')[0] = responseItem(1, { message: 'new' })
    const { report } = await on.run('sync', { ...leaveOut, all: true })
    expect({ written: written(report), events: report.events }).toMatchObject({
      written: 0,
      events: { changed: 0, unchanged: 2 },
    })
    expect(await on.query(`select event_id, list_version from headcount.sync_state order by 1`)).toEqual(
      versions,
    )
  })

  test('set later: every list is read once, that is said, and is no change; back again, too', async () => {
    await using on = await stage(account())
    await on.run('sync')
    const plan = await on.run('sync', { ...leaveOut, dryRun: true })
    expect(plan.report.events.due).toBe(2)
    // One event at a time: the others stay due.
    await on.run('sync', { ...leaveOut, events: ['picnic'] })
    expect(await on.query(`select event_id from headcount.sync_state where rewrite_due`)).toEqual([['gala']])
    on.account.of('gala')[1] = responseItem(2, { quantity: 9 })
    await on.run('sync', leaveOut)
    expect(await lastChanges(on)).toEqual([['2', 'update']])
    expect(await on.query(`select message from headcount.responses where message is not null`)).toEqual([])
    expect((await on.run('sync', { ...leaveOut, all: true })).report).toMatchObject({
      events: { changed: 0 },
    })
    expect(inWords(await verifyOn(on, leaveOut))).toEqual([])
    await expect(verifyOn(on)).rejects.toThrow(
      /stored without responses\._extra\.phone, .*settings say with all fields/,
    )
    await on.run('sync')
    expect(await lastChanges(on)).toEqual([])
    expect(await on.query(`select message from headcount.responses where id = 7`)).toEqual([
      ['the Analytical Engine'],
    ])
    expect(inWords(await verifyOn(on))).toEqual([])
  })

  test('go from history when that is asked for', async () => {
    await using on = await stage(account())
    await on.run('sync')
    on.account.of('gala')[3] = ada(7, { quantity: 5 })
    on.account.of('gala')[4] = ada(8, { quantity: 5 })
    await on.run('sync', { all: true })
    await on.run('sync', leaveOut)
    expect(
      await on.query(`select count(*)::int from headcount.response_history where document ? 'message'`),
    ).toEqual([[2]])
    const { report } = await on.run('sync', { ...leaveOut, applyToHistory: true })
    expect(report.rewritten_versions).toBe(2)
    const history = await on.query(`select document from headcount.response_history order by response_id`)
    expect(JSON.stringify(history)).not.toMatch(LEFT_OUT)
    expect(history[0]).toEqual([
      expect.objectContaining({
        name: 'Ada "L"',
        email: 'Ada@Example.org',
        diet: 'none',
        slots: [{ name: 'Bar', size: 3 }],
      }),
    ])
    expect((await on.run('sync', { ...leaveOut, applyToHistory: true })).report.rewritten_versions).toBe(0)
  })

  test('go from the history of named events alone, for other lists are not read: those would bring them there again', async () => {
    await using on = await stage(account())
    await on.run('sync')
    on.account.of('gala')[3] = ada(7, { quantity: 5 })
    on.account.of('picnic')[2] = ada(9, { quantity: 5 })
    await on.run('sync', { all: true })
    const named = () =>
      on.query(`select event_id from headcount.response_history where document ? 'message' order by 1`)
    expect(await named()).toEqual([['gala'], ['picnic']])
    await on.run('sync', { ...leaveOut, events: ['picnic'], applyToHistory: true })
    expect(await named()).toEqual([['gala']])
    on.account.of('gala')[3] = ada(7, { quantity: 6 })
    await on.run('sync', { ...leaveOut, all: true, applyToHistory: true })
    expect(await named()).toEqual([])
  })
})

onPostgresStage('pseudonyms (postgres)', (stage) => {
  test('stand in place of names and addresses, the same for the same person everywhere', async () => {
    await using on = await stage(account())
    const { said } = await on.run('sync', pseudonymise)
    expect(said).not.toMatch(/Ada|ada@/)
    const rows = await on.query(
      `select id, name, email from headcount.responses where id in (3, 7, 9) order by id`,
    )
    const [[, other] = [], [, name, email] = [], [, sameName, sameEmail] = []] = rows
    expect(name).toMatch(/^person-[0-9a-f]{16}$/)
    expect(email).toMatch(/^[0-9a-f]{32}@pseudonym\.invalid$/)
    expect([sameName, sameEmail]).toEqual([name, email])
    expect(other).not.toBe(name)
    // An address that is no text leaves nothing.
    expect(await on.query(`select email, _extra->'email' from headcount.responses where id = 8`)).toEqual([
      [null, null],
    ])
    expect(lines(await dump(on), /Ada "L"|ada@example/i)).toEqual([])
    for (const thorough of [false, true])
      expect(inWords(await verifyOn(on, { ...pseudonymise, thorough }))).toEqual([])
    expect(written((await on.run('backfill', pseudonymise)).report)).toBe(0)
  })

  test('are found, erased and kept away by the address', async () => {
    await using on = await stage(account())
    await on.run('sync', pseudonymise)
    const mirror = { ...optionOf(on.target), email: 'ADA@example.org' }
    expect((await person(mirror)).responses).toHaveLength(0)
    expect((await person({ ...mirror, personKey })).responses).toHaveLength(2)
    expect(await erasePerson({ ...mirror, personKey })).toMatchObject({ erased: { responses: 2 } })
    on.account.of('gala').push(ada(11))
    await on.run('sync', { ...pseudonymise, all: true })
    expect(await on.query(`select name, email from headcount.responses where id in (7, 9, 11)`)).toEqual([
      [null, null],
      [null, null],
      [null, null],
    ])
    expect(inWords(await verifyOn(on, pseudonymise))).toEqual([])
  })
})

onPostgresStage('what cannot be left out', (stage) => {
  test('is named, with what can be, and nothing is read', async () => {
    await using on = await stage(account())
    for (const [options, message] of [
      [
        { leaveOut: ['message'] },
        /cannot leave out "message": it is no field of responses or slots\. It may be responses\.name/,
      ],
      [{ leaveOut: ['responses.quantity'] }, /the views count by it/],
      [
        { leaveOut: ['responses.phone'] },
        /names no field phone; of one that it does not name write responses\._extra\.phone/,
      ],
      [{ leaveOut: ['responses._extra.email'] }, /email is a column of its own/],
      [{ leaveOut: ['responses.name.first'] }, /name has no fields/],
      [{ pseudonymise: ['phone'], personKey }, /for name and email alone, not for "phone"/],
      [{ pseudonymise: ['email'] }, /made with a key: set `personKey`/],
      [{ leaveOut: ['responses.email'], pseudonymise: ['email'], personKey }, /names email twice/],
    ] as const)
      expect(await on.run('sync', options).catch((error: unknown) => ({ error }))).toMatchObject({
        error: { code: 'usage', message: expect.stringMatching(message) },
      })
    expect(on.service.requests).toHaveLength(0)
  })

  test('is not taken from history by a run without the settings, which would bring it back', async () => {
    await using on = await stage(account())
    await on.run('sync', { applyToHistory: true })
    await on.run('sync', leaveOut)
    const { requests } = on.service
    const before = requests.length
    for (const options of [{}, { dryRun: true }])
      expect(await on.run('sync', { applyToHistory: true, ...options })).toMatchObject({
        exit: 2,
        error: {
          message: expect.stringMatching(
            /bring back what the last one left out.* responses\.message.* Set `leaveOut`/,
          ),
        },
      })
    expect(requests).toHaveLength(before)
    expect(lines(await dump(on), LEFT_OUT).filter((line) => !/^\(1,picnic,9,|""id"": 9,/.test(line))).toEqual(
      [],
    )
  })

  test('is served as it is stored', async () => {
    await using on = await stage(account())
    await on.run('sync')
    await servedAround(on, LEFT_OUT, () => on.run('sync', leaveOut))
  })
})
