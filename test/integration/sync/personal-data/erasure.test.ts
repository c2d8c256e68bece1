/** One person is erased from a mirror, and stays erased whatever runs afterwards. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import {
  erasePerson,
  eraseSuppressed,
  exportSuppressions,
  person,
  restorePerson,
} from '../../../../src/index.ts'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import { freshMirror } from '../../../support/databases/databases.ts'
import { mirrorClient, responsesTo } from '../../../support/http/mirror-client.ts'
import { keyOf, serve } from '../../../support/http/serving.ts'
import { onBothStages, onPostgresStage, optionOf, pause, type Stage } from '../../../support/runs/stage.ts'
import { inWords, verifyOn } from '../../../support/runs/verify.ts'
import { lastChanges, written } from './last-run.ts'

const personKey = 'a key of the suppression list for tests only'
const withKey = { personKey }
const email = 'ada@example.org'

/** What must be nowhere afterwards. */
const TRACES = /lovelace|ada@|countess|analytical engine|555-1815/i

const ada = (id: number, fields: object = {}) =>
  responseItem(id, {
    name: 'Ada Lovelace',
    email: 'Ada@Example.org',
    message: 'with the Analytical Engine',
    phone: '555-1815',
    ...fields,
  })

/** Ada answers three events, changes her address in one and withdraws from another; one item of hers cannot be stored. */
async function stageWithAda(stage: (account: ReturnType<typeof accountOf>) => Promise<Stage>) {
  const account = accountOf({ gala: 3, picnic: 3, quiet: 2 })
  account.of('gala').push(ada(7), responseItem(8, { message: 'two come' }), ada(10))
  account.of('picnic').push(ada(9, { slots: [{ name: 'Bar', who: 'Lovelace' }], amount: 'Lovelace pays' }))
  account.of('quiet').push(ada(11, { email: 'ada@example.org', amount: '12.50' }))
  const on = await stage(account)
  await on.sync()
  account.of('gala')[3] = ada(7, { email: 'countess@example.org', quantity: 5 })
  account.of('gala').splice(5, 1)
  account.of('quiet').push({ name: 'Lovelace', email: 'ADA@example.org', no: 'id' })
  await on.sync({ all: true })
  expect(await dump(on)).toMatch(TRACES)
  return on
}

const erase = (on: Stage, options: object = {}) =>
  erasePerson({ ...optionOf(on.target), email, personKey, ...options })

/** Every row of every table of the mirror, as text; views show nothing else. */
async function rowsOf(on: Stage): Promise<string> {
  const tables = await on.query(
    `select format('%I.%I', n.nspname, c.relname)
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname like 'headcount%' and c.relkind = 'r'
      order by 1`,
  )
  const ofEach = tables.map(([table]) => `select '${String(table)} ' || t::text from ${String(table)} t`)
  const rows = await on.query(ofEach.join(' union all '))
  return rows.join('\n')
}

/** The same with every statistic, which the database may make anew at any time. */
async function dump(on: Stage): Promise<string> {
  const stats = await on.query(`select s::text from pg_stats s where schemaname like 'headcount%'`)
  return [await rowsOf(on), ...stats.map((row) => row.join(' '))].join('\n')
}

const lines = (text: string) => text.split('\n').filter((line) => TRACES.test(line))

/** Responses of Ada and of others, without their names. */
const facts = (on: Stage) =>
  on.query(`select r.event_id, r.id, r.kind, r.quantity, r.rsvp, r.created_at, p.amount, r._changed_at, r._run_id,
                    (select count(*) from headcount.slots s where s.event_id = r.event_id and s.response_id = r.id)
               from headcount.responses r
               left join headcount.payments p on p.event_id = r.event_id and p.response_id = r.id
              order by 1, 2`)

onBothStages('a person who is erased', (stage) => {
  test('is nowhere afterwards; figures, slots, payments and the times of changes stay', async () => {
    await using on = await stageWithAda(stage)
    const before = await facts(on)
    const receipt = await erase(on)
    expect(receipt).toMatchObject({
      mode: 'erase',
      status: 'succeeded',
      account: 'default',
      is_repeated: false,
      erased: { events: 3, responses: 3, versions: 2, rejects: 1 },
    })
    expect(JSON.stringify(receipt)).not.toMatch(TRACES)
    expect(lines(await dump(on))).toEqual([])
    expect(await facts(on)).toEqual(before)
    expect(await on.query(`select name from headcount.responses where id = 8`)).toEqual([['Guest 8']])
    // Run and list know of it; nothing has changed at the service.
    expect(
      await on.query(`select mode, status, good from headcount.sync_runs order by id desc limit 1`),
    ).toEqual([['erase', 'succeeded', false]])
    expect(
      await on.query(`select count(*)::int from headcount.changes where run_id = ${receipt.run_id}`),
    ).toEqual([[0]])
  })

  test('stays erased in syncs, a backfill and verify, which expect it, and writes nothing', async () => {
    await using on = await stageWithAda(stage)
    await erase(on)
    let said = ''
    for (const [mode, options] of [
      ['sync', {}],
      ['sync', { all: true }],
      ['sync', { all: true, inMemoryBytes: 1 }],
      ['backfill', {}],
    ] as const) {
      const ended = await on.run(mode, { ...withKey, ...options })
      said += ended.said
      expect({ mode, written: written(ended.report) }).toEqual({ mode, written: 0 })
    }
    expect(said).not.toMatch(TRACES)
    for (const thorough of [false, true]) {
      const verified = await verifyOn(on, { thorough, ...withKey })
      expect({ differences: inWords(verified), compared: verified.lists_compared }).toEqual({
        differences: [],
        compared: 3,
      })
    }
    expect(lines(await dump(on))).toEqual([])
  })

  test('is erased from a backup that is restored, by the list of today', async () => {
    await using on = await stageWithAda(stage)
    await erase(on, { vacuum: false })
    const suppressions = await exportSuppressions(optionOf(on.target))
    expect(JSON.stringify(suppressions)).not.toMatch(TRACES)
    // As a backup from before: no entry, and every name.
    await on.change(
      `delete from headcount.suppressions`,
      `update headcount.sync_state set rewrite_due = true`,
    )
    await on.run('backfill')
    expect(lines(await dump(on))).not.toEqual([])
    const ofAnother = { ...suppressions, account: 'north' }
    await expect(
      eraseSuppressed({ ...optionOf(on.target), personKey, suppressions: ofAnother }),
    ).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(
        /^The option `suppressions` is the list of account "north", not of "default": .*with `account`/,
      ) as string,
    })
    const receipt = await eraseSuppressed({ ...optionOf(on.target), personKey, suppressions })
    expect(receipt.erased).toMatchObject({ events: 3, responses: 3 })
    expect(lines(await dump(on))).toEqual([])
    const [again] = (await exportSuppressions(optionOf(on.target))).suppressions
    expect(again?.responses).toEqual(suppressions.suppressions[0]?.responses)
    expect(inWords(await verifyOn(on, withKey))).toEqual([])
  })
})

/** Their statements are those of the tests above, or what they show comes before any. */
onPostgresStage('a person who is erased (postgres)', (stage) => {
  test('is in no item that cannot be stored, however long it is: neither one from before, nor one that comes later', async () => {
    await using on = await stageWithAda(stage)
    const long = { name: 'Lovelace', message: 'x'.repeat(70_000), email }
    on.account.of('quiet').push(long)
    await on.sync({ all: true })
    await erase(on)
    expect(lines(await rowsOf(on))).toEqual([])
    on.account.of('gala').push({ ...long, message: 'y'.repeat(70_000) })
    await on.run('sync', { ...withKey, all: true })
    expect(lines(await rowsOf(on))).toEqual([])
    expect(await on.query(`select count(*)::int from headcount.rejects where payload is null`)).toEqual([[3]])
  })

  test('is erased a second time without harm, and one who was never there is kept away', async () => {
    await using on = await stageWithAda(stage)
    await erase(on)
    expect(await erase(on, { email: ' ADA@EXAMPLE.ORG ' })).toMatchObject({
      is_repeated: true,
      erased: { events: 0, responses: 0, versions: 0, rejects: 0, messages: 0 },
    })
    expect(await on.query(`select count(*)::int from headcount.suppressions`)).toEqual([[1]])
    expect(await erase(on, { email: 'babbage@example.org' })).toMatchObject({ erased: { responses: 0 } })
    on.account.of('gala').push(responseItem(30, { email: 'babbage@example.org' }))
    await on.run('sync', { ...withKey, all: true })
    expect(await on.query(`select name, email, kind from headcount.responses where id = 30`)).toEqual([
      [null, null, 'reply'],
    ])
  })

  test('needs its key from then on: without it, or with another one, nothing is read', async () => {
    await using on = await stageWithAda(stage)
    await erase(on)
    const before = await rowsOf(on)
    const asked = on.service.requests.length
    for (const [options, message] of [
      [{}, /without the key of the suppression list/],
      [{ personKey: personKey.toUpperCase() }, /with another key/],
    ] as const) {
      for (const mode of ['sync', 'backfill'] as const)
        expect(await on.run(mode, options)).toMatchObject({
          exit: 2,
          error: { message: expect.stringMatching(message) },
        })
      expect(await on.run('sync', { ...options, dryRun: true })).toMatchObject({ exit: 2 })
      await expect(verifyOn(on, options)).rejects.toThrow(message)
      await expect(erase(on, { personKey: 'x'.repeat(32), ...options })).rejects.toThrow(/key/)
    }
    await expect(erase(on, { personKey: 'short' })).rejects.toThrow(/32 characters/)
    expect(on.service.requests).toHaveLength(asked)
    expect(await rowsOf(on)).toBe(before)
    // The key is lost: whoever was erased is known by the ids of the responses.
    const newKey = { personKey: 'another key, for the first one is lost' }
    await erase(on, { ...newKey, email: 'babbage@example.org', replaceKey: true })
    on.account.of('gala')[0] = responseItem(1, { quantity: 9 })
    on.account.of('quiet').pop()
    await on.run('sync', { ...newKey, all: true })
    expect(lines(await dump(on))).toEqual([])
  })

  test('is stored without a name in lists that change, also with another address or none, and in new events', async () => {
    await using on = await stageWithAda(stage)
    await erase(on)
    on.account.of('gala')[3] = ada(7, { email: null, quantity: 6 })
    on.account.of('gala')[0] = responseItem(1, { quantity: 9 })
    on.account.of('quiet')[2] = ada(11, { email: 'lovelace@example.net', amount: '12.50' })
    // What she had withdrawn is there again.
    on.account.of('gala').push(ada(10, { email: 'lovelace@example.net' }))
    on.account.add('later', 2)
    on.account
      .of('later')
      .push(ada(21, { email: ' ADA@example.org\t' }), ada(22, { email: 'ada\u0040example.org' }))
    await on.run('sync', { ...withKey, all: true })
    // Ada changed her quantity; of her address nothing is known.
    expect(await lastChanges(on)).toEqual([
      ['1', 'insert'],
      ['1', 'update'],
      ['2', 'insert'],
      ['7', 'update'],
      ['10', 'insert'],
      ['21', 'insert'],
      ['22', 'insert'],
    ])
    expect(lines(await dump(on))).toEqual([])
    // They are known by their ids from now on.
    on.account.of('later')[2] = ada(21, { email: 'somebody@example.net' })
    await on.run('sync', { ...withKey, all: true })
    expect(await lastChanges(on)).toEqual([])
    expect(lines(await dump(on))).toEqual([])
    expect(inWords(await verifyOn(on, withKey))).toEqual([])
  })

  test('is erased from former versions when another response gets the address', async () => {
    await using on = await stageWithAda(stage)
    await erase(on)
    on.account.of('gala')[4] = ada(8, { message: 'two come' })
    await on.run('sync', { ...withKey, all: true })
    // There is a former version, and neither says anything of a name.
    expect(await lastChanges(on)).toEqual([])
    expect(
      await on.query(`select document->'name' from headcount.response_history where response_id = 8`),
    ).toEqual([[null]])
    expect(inWords(await verifyOn(on, withKey))).toEqual([])
  })

  test('of whom the mirror has no address, for addresses are left out, goes with the next sync, former versions too', async () => {
    await using on = await stageWithAda(stage)
    const rules = { ...withKey, leaveOut: ['responses.email'], applyToHistory: true }
    await on.run('sync', rules)
    await erase(on)
    const { report } = await on.run('sync', rules)
    expect(report.rows.responses).toEqual({ inserted: 0, updated: 2, deleted: 0 })
    const names = (await on.query(`select name from headcount.responses where name is not null`)).join()
    expect(names).toContain('Guest 8')
    // Whose the withdrawn response was, and the one that has another address now, nobody knows any more.
    expect(await on.query(`select id from headcount.responses where name ~ 'Ada' order by 1`)).toEqual([
      ['7'],
    ])
    expect(inWords(await verifyOn(on, rules))).toEqual([])
    expect(written((await on.run('sync', { ...rules, all: true })).report)).toBe(0)
  })

  test('comes back at the next sync when restored, and that is no change', async () => {
    await using on = await stageWithAda(stage)
    await erase(on)
    expect(await restorePerson({ ...optionOf(on.target), email, personKey })).toEqual({
      account: 'default',
      was_erased: true,
      lists: 3,
      known_by_ids: 0,
    })
    expect(inWords(await verifyOn(on))).toEqual([])
    on.account.of('gala')[0] = responseItem(1, { quantity: 9 })
    await on.run('sync')
    expect(await lastChanges(on)).toEqual([['1', 'update']])
    const back = await person({ ...optionOf(on.target), email })
    expect(back.responses.map(({ event_id, response_id }) => [event_id, response_id])).toEqual([
      ['picnic', '9'],
      ['quiet', '11'],
    ])
    expect(await on.query(`select name from headcount.responses where id = 7`)).toEqual([['Ada Lovelace']])
    expect(inWords(await verifyOn(on))).toEqual([])
    expect(await restorePerson({ ...optionOf(on.target), email, personKey })).toMatchObject({
      was_erased: false,
    })
  })

  test('whose key was replaced is on the list by the ids of the responses, and is erased by it from a backup', async () => {
    await using on = await stageWithAda(stage)
    await erase(on, { vacuum: false, email: 'nobody@example.org' })
    await erase(on, { vacuum: false })
    await erase(on, { vacuum: false, email: 'guest2@example.org' })
    const newKey = { personKey: 'another key, for the first one is lost' }
    await erase(on, { ...newKey, vacuum: false, email: 'guest1@example.org', replaceKey: true })
    const list = await exportSuppressions(optionOf(on.target))
    // Of nobody@example.org nothing is known any more.
    expect(list.suppressions).toMatchObject([
      {
        email_hash: null,
        responses: [
          { event_id: 'gala', ids: ['7', '10'] },
          { event_id: 'picnic', ids: ['9'] },
          { event_id: 'quiet', ids: ['11'] },
        ],
      },
      {
        email_hash: null,
        responses: ['gala', 'picnic', 'quiet'].map((event_id) => ({ event_id, ids: ['2'] })),
      },
      { email_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    ])
    const asBefore = async () => {
      await on.change(
        `delete from headcount.suppressions`,
        `update headcount.sync_state set rewrite_due = true`,
      )
      await on.run('backfill')
    }
    const held = () =>
      on.query(`select event_id, id from headcount.responses where name = 'Ada Lovelace' order by 1, 2`)
    await asBefore()
    expect(await held()).toHaveLength(3)
    const options = { ...optionOf(on.target), ...newKey, vacuum: false, suppressions: list }
    const counts = () => on.query(`select count(*)::int, count(erased_at)::int from headcount.suppressions`)
    for (const is_repeated of [false, true]) {
      const receipt = await eraseSuppressed(options)
      expect(receipt).toMatchObject({ is_repeated, suppressions: { length: 3 } })
      expect(await held()).toEqual([])
      expect(await counts()).toEqual([[3, 3]])
    }
    const again = await exportSuppressions(optionOf(on.target))
    const [hashed, ...others] = again.suppressions
    expect({ ...again, suppressions: [...others, hashed] }).toEqual(list)

    // A list without hashes, whose erasure is broken off: the next sync needs no key to go on.
    await asBefore()
    await on.change(
      `create function public.refuse() returns trigger language plpgsql as $$
         begin raise exception 'the disk is full'; end $$`,
      `create trigger refuse before update on headcount.responses for each row
         when (old.event_id = 'picnic') execute function public.refuse()`,
    )
    const byIds = { ...list, key_check: 'of a key that is lost', suppressions: list.suppressions.slice(0, 1) }
    await expect(eraseSuppressed({ ...options, suppressions: byIds })).rejects.toThrow(/disk is full/)
    await on.change(`drop function public.refuse() cascade`)
    expect(await counts()).toEqual([[1, 0]])
    await on.run('sync')
    expect(await held()).toEqual([])
    expect(await counts()).toEqual([[1, 1]])
    const nobody = {
      ...byIds,
      suppressions: [{ email_hash: null, added_at: '2026-01-01T00:00:00Z', responses: [] }],
    }
    expect(await eraseSuppressed({ ...options, suppressions: nobody })).toMatchObject({ suppressions: [] })
    const twice = { ...byIds, suppressions: [...byIds.suppressions, ...byIds.suppressions] }
    await eraseSuppressed({ ...options, suppressions: twice })
    expect(await counts()).toEqual([[1, 1]])
  })

  test('is erased in whole events, and the next sync goes on where an erasure was broken off', async () => {
    await using on = await stageWithAda(stage)
    const end = new AbortController()
    // The library has no hook between two events: the database refuses the second one.
    await on.change(
      `create function public.refuse() returns trigger language plpgsql as $$
         begin raise exception 'the disk is full'; end $$`,
      `create trigger refuse before update on headcount.responses for each row
         when (old.event_id = 'picnic') execute function public.refuse()`,
    )
    await expect(erase(on, { signal: end.signal })).rejects.toThrow(/disk is full[^]*next sync goes on/)
    expect(await on.query(`select status from headcount.sync_runs order by id desc limit 1`)).toEqual([
      ['failed'],
    ])
    await on.change(`drop function public.refuse() cascade`)
    expect(lines(await dump(on)).some((line) => line.includes('quiet'))).toBe(true)
    expect(lines(await dump(on)).some((line) => line.includes('gala'))).toBe(false)
    // The list changes meanwhile: her name must not get into history.
    on.account.of('quiet')[2] = ada(11, { amount: '13.00' })
    await on.run('sync', withKey)
    expect(lines(await dump(on))).toEqual([])
    expect(inWords(await verifyOn(on, withKey))).toEqual([])
  })
})

onPostgresStage('an erasure beside others', (stage) => {
  test('is refused while a run holds the account, and leaves nothing behind', async () => {
    await using on = await stageWithAda(stage)
    const before = await rowsOf(on)
    const paused = pause(on, responsesTo('gala'))
    const running = on.run('sync', { all: true })
    await paused.reached
    await expect(erase(on)).rejects.toThrow(/Another run holds account/)
    paused.release()
    await running
    expect(await on.query(`select count(*)::int from headcount.suppressions`)).toEqual([[0]])
    expect(lines(await rowsOf(on))).toEqual(lines(before))
  })

  test('during a verify is no difference', async () => {
    await using on = await stageWithAda(stage)
    const paused = pause(on, responsesTo('gala'))
    const verifying = verifyOn(on, withKey)
    await paused.reached
    await sleep(50)
    await erase(on)
    paused.release()
    expect(inWords(await verifying)).toEqual([])
  })

  test('is of one account; the other one is told', async () => {
    await using on = await stageWithAda(stage)
    await on.run('sync', { account: 'north', createAccount: true })
    await erase(on)
    const left = await person({ ...optionOf(on.target), email })
    expect(new Set(left.responses.map(({ account }) => account))).toEqual(new Set(['north']))
    // The list of one account asks nothing of the runs of another.
    expect(await on.run('sync', { account: 'north' })).toMatchObject({ status: 'held', error: null })
    await erase(on, { account: 'north' })
    // There the former address of that response is not known: the plan names the other one, for whoever knows.
    await erase(on, { account: 'north', email: 'countess@example.org' })
    expect(lines(await dump(on))).toEqual([])
  })

  test('leaves nothing in the files of the tables', async () => {
    // A test before leaves rows in the files, which are only deleted.
    await using on = await stageWithAda((account) => stage(account, { isOwn: true }))
    // Somebody reads in a transaction that began before: Postgres keeps the old rows for as long.
    await using other = await connect(on.url)
    const isRead = Promise.withResolvers<void>()
    const reading = other.transaction(async (trx) => {
      await trx.query('set transaction isolation level repeatable read')
      await trx.query('select count(*) from headcount.events')
      isRead.resolve()
      await sleep(1500)
    })
    await isRead.promise
    // And somebody writes in another database: snapshots of this one look back to that, too.
    await using elsewhere = await freshMirror('postgres')
    const isWritten = Promise.withResolvers<void>()
    const writing = elsewhere.database.transaction(async (trx) => {
      await trx.query('select pg_current_xact_id()')
      isWritten.resolve()
      await sleep(2500)
    })
    await isWritten.promise
    expect(await erase(on)).toMatchObject({ old_rows_remain: false })
    await Promise.all([reading, writing])
    await on.change('checkpoint')
    const [[folder] = []] = await on.change('show data_directory')
    const paths = await on.query(
      `select pg_relation_filepath(c.oid) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where pg_relation_filepath(c.oid) is not null
          and (n.nspname like 'headcount%' or c.oid in (
               select reltoastrelid from pg_class t where t.relnamespace = (select oid from pg_namespace where nspname = 'headcount')))`,
    )
    expect(paths.length).toBeGreaterThan(30)
    for (const [path] of paths) {
      const bytes = await readFile(join(String(folder), String(path)), 'latin1')
      expect({ path, found: TRACES.exec(bytes)?.[0] ?? null }).toEqual({ path, found: null })
    }
  })

  test('lets others read while a session stands idle in a transaction, and waits for that', async () => {
    await using on = await stageWithAda((account) => stage(account, { isOwn: true }))
    const ended = new AbortController()
    const idle = new Client({ connectionString: on.url })
    await idle.connect()
    // As a tool without autocommit leaves it: it needs no old row, and keeps its lock.
    await idle.query('begin')
    await idle.query('select count(*) from headcount.responses')
    const ending = sleep(9000).then(async () => {
      ended.abort()
      await idle.end()
    })
    await using other = await connect(on.url)
    const erasing = erase(on)
    while (!ended.signal.aborted) {
      await other.transaction((trx) => trx.query('select count(*) from headcount.responses'), {
        lockTimeoutMs: 4000,
      })
      await sleep(100)
    }
    await ending
    expect(await erasing).toMatchObject({
      vacuumed: expect.arrayContaining(['responses', 'slots']),
      old_rows_remain: false,
    })
  })

  test('by a role that does not own the tables says that old rows remain', async () => {
    await using on = await stageWithAda(stage)
    const role = `eraser_${crypto.randomUUID().replaceAll('-', '')}`
    await on.change(
      `create role ${role} login password 'secret'`,
      // Else it would wait for each session whose transaction it may not see.
      `grant pg_read_all_stats to ${role}`,
      `grant usage on schema headcount, headcount_internal to ${role}`,
      `grant select, insert, update, delete on all tables in schema headcount to ${role}`,
    )
    const url = new URL(on.url)
    url.username = role
    url.password = 'secret'
    const erased = await erasePerson({ database: url.href, email, personKey })
    expect(erased).toMatchObject({ erased: { responses: 3 }, vacuumed: [], old_rows_remain: true })
    expect(lines((await on.query('select r::text from headcount.responses r')).join('\n'))).toEqual([])
    await on.change(`drop owned by ${role}`, `drop role ${role}`)
  })

  test('is served: neither the list nor a 304 shows the person, and a second mirror has nothing', async () => {
    await using on = await stageWithAda(stage)
    await using serving = await serve(on.target)
    const client = await mirrorClient(on.target, serving)
    const before = await client.read(responsesTo('gala'))
    expect(before.body).toMatch(TRACES)
    const quiet = await client.read(responsesTo('quiet'))
    await erase(on)
    for (const event of ['gala', 'picnic', 'quiet']) {
      const after = await client.read(responsesTo(event))
      expect(after.body).not.toMatch(TRACES)
      expect([before.etag, quiet.etag]).not.toContain(after.etag)
    }
    // A mirror of this mirror knows nothing of a list of suppressions, and needs none.
    await using second = await stage(accountOf({}))
    const ended = await second.run('sync', { baseUrl: serving.url, apiKey: await keyOf(on.target) })
    expect(ended).toMatchObject({ exit: 0, report: { rows: { responses: { inserted: 12 } } } })
    expect(ended.said).not.toMatch(TRACES)
    expect(lines(await dump(second))).toEqual([])
  })
})
