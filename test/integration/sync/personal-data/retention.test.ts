import { expect, test, vi } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { findPrunableVersions, pruneVersions } from '../../../../src/mirror/prune.ts'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import { onBothStages, onPostgresStage, type Stage } from '../../../support/runs/stage.ts'
import { inWords, verifyOn } from '../../../support/runs/verify.ts'
import { lastChanges, servedAround, written } from './last-run.ts'

const DAY = 86_400_000
const forgetAfterMs = 365 * DAY
const forgetting = { forgetAfterMs }
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString()

/** What a mirror must not hold of an event that is forgotten: names, addresses, messages, unknown fields. */
const TRACES = /Guest|guest\d+@|see you|Rosa|secret/

/** Values that do not fit stand in `_extra`, and so do fields that nobody knows. */
const odd = [
  responseItem(11, { message: 'see you there', nickname: 'Rosa' }),
  responseItem(12, { quantity: 'two and Rosa', amount: 'Rosa pays', processing_fee: '1.5' }),
  responseItem(13, { slots: { name: 'Rosa' } }),
  responseItem(14, { slots: [{ name: 'Bar', start_date: 'after Rosa', phone: 'secret' }] }),
  responseItem(15, { rsvp: 'yes', created_at: 'when Rosa came', quantity: { of: 'Rosa' } }),
  responseItem(16, { slots: [], amount: null, processing_fee: null, quantity: null, rsvp: null }),
  responseItem(17, { name: 'Rosa "R\\u00f3"', message: 'see\nyou' }),
]
/** No item of a list can be stored that has no id. */
const rejected = { name: 'Rosa without an id' }

/** An event of long ago with all that can hold personal data: odd values, former versions, a reject; and one to come. */
async function stageWithPast(stage: (account: ReturnType<typeof accountOf>) => Promise<Stage>) {
  const account = accountOf({})
  account.add('gala', 9, { event_at: daysAgo(400) })
  account.add('picnic', 3, { event_at: daysAgo(-30) })
  account.of('gala').push(...odd)
  const on = await stage(account)
  await on.sync()
  account.of('gala')[0] = responseItem(1, { name: 'Guest One', message: 'see you' })
  account.of('gala')[2] = responseItem(3, { quantity: 5, nickname: 'Rosa' })
  account.of('gala').splice(4, 1)
  await on.sync({ all: true })
  account.of('gala').push(rejected)
  await on.sync({ all: true })
  expect(await trace(on, 'gala')).toMatch(TRACES)
  return on
}

/** Every row about an event in every table, as one text. */
async function trace(on: Stage, event: string): Promise<string> {
  const rows = await on.query(`
    select 'live' as of, to_jsonb(r)::text from headcount.responses r where event_id = '${event}'
    union all select 'slots', to_jsonb(s)::text from headcount.slots s where event_id = '${event}'
    union all select 'history', to_jsonb(h)::text from headcount.response_history h where event_id = '${event}'
    union all select 'rejects', to_jsonb(j)::text from headcount.rejects j where event_id = '${event}'
    union all select 'changes', to_jsonb(c)::text from headcount.changes c where event_id = '${event}' and entity = 'response'
    union all select 'set aside', to_jsonb(a)::text from headcount.set_aside a where event_id = '${event}'
    order by 1, 2`)
  return rows.map((row) => row.join(' ')).join('\n')
}

/** Figures of an event, which stay when its people are forgotten. */
const figures = (on: Stage) =>
  on.query(`select event_id, responses, replies, coming, payments, amount, processing_fee, sign_ups, slots, people,
                    first_response_at, last_response_at, edited_7d, withdrawn_7d
               from headcount.event_summary order by event_id`)

const liveRows = (on: Stage) =>
  on.query(`select r.event_id, r.id, r.kind, r.quantity, r.rsvp, r.created_at, r.updated_at, r._first_seen_at,
                    r._changed_at, r._run_id from headcount.responses r order by 1, 2`)

const marked = async (on: Stage) =>
  (
    await on.query(
      `select event_id from headcount.sync_state where forgotten_at is not null order by event_id`,
    )
  ).map(([id]) => id)

onBothStages('personal data of an old event', (stage) => {
  test('are forgotten in the live tables, in history, in rejects and in _extra, after a dry run said how many; figures, times and slots stay; later responses are stored without', async () => {
    await using on = await stageWithPast(stage)
    const [before, rows] = [await figures(on), await liveRows(on)]
    const [gala, picnic] = [await trace(on, 'gala'), await trace(on, 'picnic')]
    const dry = await on.run('sync', { ...forgetting, dryRun: true })
    expect(dry.report.forgotten).toEqual({ events: 1, responses: 15, versions: 3 })
    expect(await trace(on, 'gala')).toBe(gala)
    expect(await marked(on)).toEqual([])

    const { exit, report } = await on.run('sync', forgetting)
    expect({ exit, forgotten: report.forgotten }).toEqual({
      exit: 8,
      forgotten: { events: 1, responses: 15, versions: 3 },
    })
    expect({ dry: dry.report.set_aside, run: report.set_aside }).toEqual({ dry: 0, run: 0 })
    expect(await trace(on, 'gala')).not.toMatch(TRACES)
    expect(await trace(on, 'picnic')).toBe(picnic)
    expect(await marked(on)).toEqual(['gala'])
    expect(await liveRows(on)).toEqual(rows)
    // Every response without an address is a person of its own: only persons and their figures differ.
    expect(await figures(on)).toEqual(before)
    expect(await on.query(`select reason, payload from headcount.rejects`)).toEqual([['id_missing', null]])

    on.account.of('gala')[0] = responseItem(1, { name: 'Guest Uno', quantity: 7, rsvp: 'yes' })
    on.account.of('gala').push(responseItem(21, { message: 'see you' }), { email: 'guest9@secret' })
    const later = await on.run('sync', { all: true, inMemoryBytes: 1 })
    expect(later.report.rows.responses).toEqual({ inserted: 1, updated: 1, deleted: 0 })
    expect(await trace(on, 'gala')).not.toMatch(TRACES)
    expect(inWords(await verifyOn(on))).toEqual([])
  })
})

/** Their statements are those of the tests above. */
onPostgresStage('personal data of an old event (postgres)', (stage) => {
  test('stay forgotten: a run, a backfill and verify expect the rows as they are', async () => {
    await using on = await stageWithPast(stage)
    await on.run('sync', forgetting)
    const after = await trace(on, 'gala')
    for (const [mode, options] of [
      ['sync', { all: true, ...forgetting }],
      ['backfill', forgetting],
      // The mark decides, not the setting.
      ['backfill', {}],
    ] as const) {
      const { report } = await on.run(mode, options)
      expect({ mode, written: written(report), set_aside: report.set_aside }).toEqual({
        mode,
        written: 0,
        set_aside: 0,
      })
    }
    for (const thorough of [false, true]) {
      const verified = await verifyOn(on, { thorough })
      expect({ differences: inWords(verified), compared: verified.lists_compared }).toEqual({
        differences: [],
        compared: 2,
      })
    }
    expect(await trace(on, 'gala').then(withoutRuns)).toBe(withoutRuns(after))
  })

  test('are compared by verify also after fields were left out: nothing is to be made anew of them', async () => {
    await using on = await stageWithPast(stage)
    await on.run('sync', forgetting)
    const leaveOut = ['responses.message']
    await on.run('sync', { ...forgetting, leaveOut, all: true })
    expect(await verifyOn(on, { leaveOut })).toMatchObject({ lists_compared: 2, lists_changed: [] })
  })

  test('come back although the list changed meanwhile: only what changed is a change', async () => {
    await using on = await stageWithPast(stage)
    await on.run('sync', forgetting)
    on.account.events[0] = { ...Object(on.account.events[0]), event_at: daysAgo(-10) }
    on.account.of('gala')[0] = responseItem(1, { name: 'Guest One', quantity: 8 })
    await on.run('sync', { ...forgetting, inMemoryBytes: 1 })
    expect(await lastChanges(on)).toEqual([['1', 'update']])
    expect(await trace(on, 'gala')).toMatch(/Guest 2/)
    expect(inWords(await verifyOn(on))).toEqual([])
  })

  test('come back at the next reading when the event is moved into the future, and are no change', async () => {
    await using on = await stageWithPast(stage)
    await on.run('sync', forgetting)
    on.account.events[0] = { ...Object(on.account.events[0]), event_at: daysAgo(-10) }
    await on.run('sync', forgetting)
    expect(await marked(on)).toEqual([])
    const [live] = await on.query(
      `select string_agg(name, ' ' order by id), string_agg(_extra::text, ' ') from headcount.responses where event_id = 'gala'`,
    )
    expect(live?.join(' ')).toMatch(/Guest One[^]*Rosa/)
    expect(await lastChanges(on)).toEqual([])
    expect(inWords(await verifyOn(on))).toEqual([])
    expect(await on.run('backfill').then(({ report }) => written(report))).toBe(0)
  })

  test('of an event that was removed are forgotten in history', async () => {
    await using on = await stageWithPast(stage)
    on.account.remove('gala')
    await on.sync()
    await on.sync({ acceptDeletions: true })
    expect(on.mirror.rows('events')).toHaveLength(1)
    expect(await trace(on, 'gala')).toMatch(TRACES)
    const { report } = await on.run('sync', forgetting)
    expect(report.forgotten).toEqual({ events: 1, responses: 0, versions: 18 })
    expect(await trace(on, 'gala')).not.toMatch(TRACES)
    const again = await on.run('sync', forgetting)
    expect(again.report.forgotten).toEqual({ events: 0, responses: 0, versions: 0 })
    // It is back, and is as old as before.
    on.account.add('gala', 2, { event_at: daysAgo(400) })
    expect(await on.run('sync', forgetting)).toMatchObject({
      report: { forgotten: { events: 1, responses: 2 } },
    })
    expect(await trace(on, 'gala')).not.toMatch(TRACES)
  })

  test('of an event that was removed are forgotten where a prune was broken off between two tables', async () => {
    await using on = await stageWithPast(stage)
    on.account.remove('gala')
    await on.sync()
    await on.sync({ acceptDeletions: true })
    {
      await using database = await connect(on.target)
      const [[now] = []] = await on.query('select clock_timestamp()')
      const old = await database.transaction((trx) => findPrunableVersions(trx, null, String(now)))
      const breaking = endAfterOnePiece()
      await expect(pruneVersions(database, old, String(now), breaking)).rejects.toThrow('broken off')
    }
    await on.run('sync', forgetting)
    expect(await trace(on, 'gala')).not.toMatch(TRACES)
  })
})

/** Aborted when the second piece is to begin. */
function endAfterOnePiece(): AbortSignal {
  let looks = 0
  const throwIfAborted = () => {
    if (++looks > 1) throw new Error('broken off')
  }
  return Object.assign(new AbortController().signal, { throwIfAborted })
}

onPostgresStage('which events are old', (stage) => {
  test('without a time of its own an event is as old as its last response', async () => {
    const account = accountOf({})
    account.add('old', 2)
    account.add('young', 2)
    account.add('hostile', 2, { event_at: null })
    account.add('empty', 0)
    account.add('edited', 2)
    for (const id of ['old', 'young', 'hostile', 'edited'])
      for (const item of account.of(id) as { created_at: string }[]) item.created_at = daysAgo(500)
    Object.assign(Object(account.of('young')[1]), { created_at: daysAgo(5) })
    Object.assign(Object(account.of('edited')[1]), { updated_at: daysAgo(5) })
    Object.assign(Object(account.of('hostile')[1]), { created_at: '9999-12-31T23:59:59Z' })
    await using on = await stage(account)
    await on.sync()
    const { report } = await on.run('sync', forgetting)
    expect(report.forgotten).toMatchObject({ events: 1, responses: 2 })
    expect(await marked(on)).toEqual(['old'])
  })

  /** Names that the mirror has of an event, in the order of ids. */
  const namesOf = async (on: Stage, event: string) =>
    (
      await on.query(
        `select coalesce(name, '-') from headcount.responses where event_id = '${event}' order by id`,
      )
    ).map(([name]) => name)

  /** Events of long ago, forgotten: one without a time, one whose time cannot be read, one with a time. */
  async function stageForgotten() {
    const account = accountOf({})
    account.add('undated', 2)
    account.add('unreadable', 2, { event_at: 'soon' })
    account.add('dated', 2, { event_at: daysAgo(400) })
    for (const id of ['undated', 'unreadable', 'dated'])
      for (const item of account.of(id) as { created_at: string }[]) item.created_at = daysAgo(500)
    const on = await stage(account)
    await on.run('sync', forgetting)
    expect(await marked(on)).toEqual(['dated', 'undated', 'unreadable'])
    return on
  }
  const answerAll = (on: Stage, created_at: string) => {
    for (const id of ['undated', 'unreadable', 'dated'])
      on.account.of(id).push(responseItem(3, { created_at }))
  }

  test.each([
    ['with the setting', { ...forgetting, all: true }, 300],
    ['with the setting, from its file', { ...forgetting, all: true, inMemoryBytes: 1 }, 300],
    ['without the setting', { all: true }, 0],
  ] as const)(
    'without a time of its own an event is no longer old when a new response comes: %s',
    async (_, options, age) => {
      await using on = await stageForgotten()
      answerAll(on, daysAgo(age))
      const { report } = await on.run('sync', options)
      // The names of four that have not changed come back.
      expect(report.rows.responses).toEqual({ inserted: 3, updated: 4, deleted: 0 })
      expect(await marked(on)).toEqual(['dated'])
      expect(await namesOf(on, 'undated')).toEqual(['Guest 1', 'Guest 2', 'Guest 3'])
      expect(await namesOf(on, 'unreadable')).toEqual(['Guest 1', 'Guest 2', 'Guest 3'])
      expect(await namesOf(on, 'dated')).toEqual(['-', '-', '-'])
      expect(await lastChanges(on)).toEqual(Array.from({ length: 3 }, () => ['3', 'insert']))
      expect(inWords(await verifyOn(on, { thorough: true }))).toEqual([])
      expect((await on.run('sync', { ...forgetting, all: true })).report.forgotten).toMatchObject({
        events: 0,
      })
      const sooner = await on.run('sync', { forgetAfterMs: 1, all: true })
      expect(sooner.report.forgotten).toMatchObject({ events: 2, responses: 6 })
      expect(await namesOf(on, 'undated')).toEqual(['-', '-', '-'])
    },
  )

  test('without a time of its own it is no longer old, too, when the clock of the machine is a year behind that of the database', async () => {
    await using on = await stageForgotten()
    answerAll(on, daysAgo(0))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 400 * DAY })
    try {
      await on.run('sync', { ...forgetting, all: true })
    } finally {
      vi.useRealTimers()
    }
    expect(await marked(on)).toEqual(['dated'])
    expect(await namesOf(on, 'undated')).toEqual(['Guest 1', 'Guest 2', 'Guest 3'])
  })

  test('nothing comes back by a clock of the database that is behind: no time is of the future, and no response new, by it alone', async () => {
    await using on = await stageForgotten()
    Object.assign(Object(on.account.events.at(-1)), { event_at: daysAgo(-20) })
    answerAll(on, daysAgo(100))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400 * DAY })
    try {
      await on.run('sync', { ...forgetting, all: true })
      await on.run('backfill', forgetting)
    } finally {
      vi.useRealTimers()
    }
    expect(await marked(on)).toEqual(['dated', 'undated', 'unreadable'])
    expect(await namesOf(on, 'dated')).toEqual(['-', '-', '-'])
    expect(await namesOf(on, 'undated')).toEqual(['-', '-', '-'])
    await on.run('backfill', forgetting)
    expect(await marked(on)).toEqual([])
  })

  test('nothing is old by the clock of the database alone: one that is ahead forgets nothing', async () => {
    const account = accountOf({})
    account.add('old', 2, { event_at: daysAgo(400) })
    account.add('undated', 2)
    for (const item of account.of('undated') as { created_at: string }[]) item.created_at = daysAgo(400)
    await using on = await stage(account)
    await on.run('sync', { all: true })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 100 * DAY })
    try {
      expect((await on.run('sync', forgetting)).report.forgotten).toMatchObject({ events: 0 })
    } finally {
      vi.useRealTimers()
    }
    expect(await marked(on)).toEqual([])
    await on.run('sync', forgetting)
    expect(await marked(on)).toEqual(['old', 'undated'])
  })

  test.each([
    ['before what may be kept', { ...forgetting, all: true }, daysAgo(366)],
    ['before it was forgotten, where no setting says more', { all: true }, daysAgo(1)],
    ['in the far future', { ...forgetting, all: true }, '9999-12-31T23:59:59Z'],
    ['at a time that cannot be read', { ...forgetting, all: true }, 'today'],
  ] as const)('it stays forgotten when a response comes that was made %s', async (_, options, created_at) => {
    await using on = await stageForgotten()
    answerAll(on, created_at)
    await on.run('sync', options)
    expect(await marked(on)).toEqual(['dated', 'undated', 'unreadable'])
    expect(await namesOf(on, 'undated')).toEqual(['-', '-', '-'])
  })

  test('a response that is edited brings them back as a new one does, and they stay', async () => {
    await using on = await stageForgotten()
    const edit = (fields: object) => {
      for (const id of ['undated', 'unreadable', 'dated']) Object.assign(Object(on.account.of(id)[1]), fields)
    }
    edit({ message: 'Late', updated_at: '9999-12-31T23:59:59Z' })
    await on.run('sync', { ...forgetting, all: true })
    expect(await marked(on)).toEqual(['dated', 'undated', 'unreadable'])
    edit({ name: 'Renamed', updated_at: daysAgo(1) })
    await on.run('sync', { ...forgetting, all: true })
    expect(await marked(on)).toEqual(['dated'])
    expect(await namesOf(on, 'undated')).toEqual(['Guest 1', 'Renamed'])
    expect(inWords(await verifyOn(on, { thorough: true }))).toEqual([])
    expect((await on.run('sync', { ...forgetting, all: true })).report.forgotten).toMatchObject({ events: 0 })
  })

  test('a backfill finds what a run without the setting did not take for new', async () => {
    await using on = await stageForgotten()
    answerAll(on, daysAgo(1))
    await on.run('sync', { all: true })
    await on.run('backfill', forgetting)
    expect(await marked(on)).toEqual(['dated'])
    expect(await namesOf(on, 'undated')).toEqual(['Guest 1', 'Guest 2', 'Guest 3'])
    expect(inWords(await verifyOn(on, { thorough: true }))).toEqual([])
  })

  test('a run of named events forgets these alone', async () => {
    const account = accountOf({})
    for (const id of ['a', 'b']) account.add(id, 2, { event_at: daysAgo(400) })
    await using on = await stage(account)
    await on.sync()
    await on.run('sync', { ...forgetting, events: ['b'] })
    expect(await marked(on)).toEqual(['b'])
  })

  test('a run that is ended in the middle forgets whole events, and the next one goes on', async () => {
    const account = accountOf({})
    for (const id of ['a', 'b', 'c']) account.add(id, 3, { event_at: daysAgo(400) })
    await using on = await stage(account)
    await on.sync()
    const end = new AbortController()
    const ended = await on.run('sync', {
      ...forgetting,
      batchRows: 1,
      signal: end.signal,
      onProgress: ({ phase }) => {
        if (phase === 'forgetting') end.abort()
      },
    })
    expect(ended.exit).not.toBe(0)
    expect(await marked(on)).toEqual(['a'])
    expect(await trace(on, 'b')).toMatch(TRACES)
    expect(await on.run('sync', { ...forgetting, batchRows: 1 })).toMatchObject({
      exit: 0,
      report: { forgotten: { events: 2, responses: 6 } },
    })
    expect(await trace(on, 'b')).not.toMatch(TRACES)
  })
})

onPostgresStage('whoever reads the mirror over HTTP', (stage) => {
  test('is not served forgotten names, nor a 304 for the list that had them', async () => {
    await using on = await stageWithPast(stage)
    const { before, after } = await servedAround(on, TRACES, () => on.run('sync', forgetting))
    expect(JSON.parse(after.body)).toHaveLength(JSON.parse(before.body).length)
  })
})

/** When rows were looked at is not what they say. */
function withoutRuns(text: string): string {
  return text.replaceAll(/"(?:run_id|seen_at)": [^,}]+/g, '')
}
