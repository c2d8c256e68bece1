/** `verify` beside a service and a mirror that move, fail and forbid. */
import { expect, test } from 'vitest'
import { accountOf, refusal, responseItem, responsesFrom } from '../../../support/accounts/account.ts'
import type { Account } from '../../../support/accounts/account.ts'
import { freshPlace } from '../../../support/databases/databases.ts'
import { resetBeforeHeaders, send } from '../../../support/http/fault-server.ts'
import { readerOf } from '../../../support/mirror/reader.ts'
import { onPostgresStage, pause } from '../../../support/runs/stage.ts'
import { failureOn, inWords, verifyOn } from '../../../support/runs/verify.ts'

onPostgresStage('verify, lists that moved', (stage) => {
  test('a list that the service changed since the last sync is reported as changed, and no difference', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    on.account.of('gala').push(responseItem(4))
    await on.change(`update headcount.responses set name = 'X'`)
    expect(await verifyOn(on)).toMatchObject({
      status: 'different',
      differences_total: 2,
      lists_compared: 1,
      lists_changed: ['gala'],
      events_changed: false,
    })
    on.account.of('picnic').pop()
    expect(await verifyOn(on)).toMatchObject({
      status: 'partial',
      differences: [],
      lists_compared: 0,
      lists_changed: ['gala', 'picnic'],
    })
  })

  test('an account with another e-mail: the warning says that nothing was written', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    const before = on.mirror.rows('accounts')
    on.account.email = 'new@example.org'
    expect((await verifyOn(on)).warnings).toEqual([
      'The account changed: the e-mail was owner@example.org and is new@example.org. Nothing was written: the next sync would go on with the new one.',
    ])
    expect(on.mirror.rows('accounts')).toEqual(before)
  })

  test('a sync that stores a new list meanwhile: the list is read again and compared', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    on.account.of('gala').push(responseItem(4))
    const { reached, release } = pause(on, '/events/picnic/responses')
    const looked = Promise.withResolvers<void>()
    const verifying = verifyOn(on, {
      onProgress: ({ events }) => events.done === 1 && looked.resolve(),
    })
    await Promise.all([reached, looked.promise]) // Gala was read, and is not what the mirror holds.
    await on.sync()
    release()
    expect(await verifying).toMatchObject({ status: 'equal', lists_compared: 2, lists_changed: [] })
  })

  test('a sync that forgets an event meanwhile: the list is read again and compared', async () => {
    const account = accountOf({ picnic: 2 })
    account.add('gala', 3, { event_at: '2024-05-01T10:00:00Z' })
    await using on = await stage(account)
    await on.sync()
    const { reached, release } = pause(on, '/events/picnic/responses')
    const looked = Promise.withResolvers<void>()
    const verifying = verifyOn(on, {
      onProgress: ({ events }) => events.done === 1 && looked.resolve(),
    })
    await Promise.all([reached, looked.promise]) // Gala was read with its names.
    await on.run('sync', { forgetAfterMs: 86_400_000 })
    release()
    expect(await verifying).toMatchObject({ status: 'equal', lists_compared: 2, lists_changed: [] })
  })

  test('an event list that changed meanwhile is read again', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    on.account.add('ball', 1)
    expect(await verifyOn(on)).toMatchObject({
      status: 'equal',
      events_changed: true,
      lists_compared: 1,
      lists_never_read: ['ball'],
    })
    const read = pause(on, '/events/gala/responses')
    const verifying = verifyOn(on)
    await read.reached
    await on.sync()
    read.release()
    expect(await verifying).toMatchObject({
      status: 'equal',
      events_changed: false,
      events_compared: 2,
      lists_compared: 2,
    })
  })

  test('an event that vanished meanwhile has changed; one that is listed and not found has failed', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2, ball: 1 }))
    await on.sync()
    const read = pause(on, '/events/gala/responses')
    const verifying = verifyOn(on)
    await read.reached
    on.account.remove('gala')
    on.account.responses.delete('picnic')
    read.release()
    const report = await verifying
    expect(report).toMatchObject({
      status: 'partial',
      lists_changed: ['gala'],
      lists_compared: 1,
      errors_total: 1,
    })
    expect(report.errors).toMatchObject([{ event_id: 'picnic', code: 'not_found' }])
  })

  test('beyond what is held, a list that differs is undecided, never equal; the next run compares it row by row', async () => {
    await using on = await stage(accountOf({ gala: 40, picnic: 1 }))
    await on.sync()
    on.account.of('gala').splice(0, 20)
    await on.sync()
    await on.change(`update headcount.responses set name = 'X' where id = 30`)
    expect(await verifyOn(on)).toMatchObject({
      status: 'partial',
      differences: [],
      lists_undecided: ['gala'],
      lists_changed: [],
      lists_compared: 1,
      held: 20,
    })
    await on.sync()
    expect(await verifyOn(on)).toMatchObject({
      status: 'equal',
      lists_undecided: [],
      lists_compared: 2,
      held: 20,
    })
  })

  test('beyond the events that are held, an event list that differs is undecided, never equal', async () => {
    await using on = await stage(accountOf({ gala: 30, picnic: 2 }))
    await on.sync()
    on.account.remove('gala')
    await on.sync()
    await on.change(`update headcount.events set title = 'X' where id = 'picnic'`)
    const report = await verifyOn(on)
    expect(report).toMatchObject({ status: 'partial', events_undecided: true, events_changed: false })
    await on.sync()
    expect(await verifyOn(on)).toMatchObject({ status: 'equal', events_undecided: false, held: 1 })
  })

  test('D2 a run that dies at its close with an event that failed: undecided, never equal', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    await on.change(
      `create function no_end() returns trigger language plpgsql as $$ begin raise 'no end'; end $$`,
      `create trigger no_end before update of status on headcount.sync_runs
         for each row when (new.status <> 'running') execute function no_end()`,
    )
    Object.assign(on.account.events[1] ?? {}, { title: 'Renamed' })
    on.service.at('/events/picnic/responses', send(refusal(400)))
    expect(await on.run('sync')).toMatchObject({ exit: 5 })
    expect(await verifyOn(on)).toMatchObject({
      status: 'partial',
      events_changed: false,
      events_undecided: true,
    })
  })

  test('an event that failed with a new record leaves the list without a digest: undecided, until a sync mends it', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    Object.assign(on.account.events[1] ?? {}, { title: 'Renamed' })
    on.service.at('/events/picnic/responses', send(refusal(400)))
    expect(await on.sync()).toMatchObject({ exit: 6 })
    expect(await verifyOn(on)).toMatchObject({ status: 'equal', lists_failing: ['picnic'] })
    await on.change(
      `update headcount.events set title = 'X' where id = 'gala'`,
      `insert into headcount.events (account_id, id, _run_id) values (1, 'ghost', 1)`,
    )
    const report = await verifyOn(on)
    expect(report).toMatchObject({ status: 'partial', events_changed: false, events_undecided: true })
    expect(await on.sync()).toMatchObject({ report: { rows: { events: { updated: 2, deleted: 1 } } } })
    expect(await verifyOn(on)).toMatchObject({ status: 'equal', events_undecided: false, lists_failing: [] })
  })

  test('events that are held are said to be held, with all their rows', async () => {
    await using on = await stage(accountOf({ gala: 30, picnic: 2 }))
    await on.sync()
    on.account.remove('gala')
    await on.sync()
    expect(await verifyOn(on)).toMatchObject({
      status: 'equal',
      held: 1,
      events_compared: 1,
      lists_compared: 1,
    })
  })

  test('an event that the last sync could not read is said to be failing; its rows are of an earlier day', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    on.account.of('gala').pop()
    Object.assign(on.account.events[0] ?? {}, { title: 'Renamed' })
    on.service.at('/events/gala/responses', send(refusal(400)))
    expect(await on.sync()).toMatchObject({ exit: 6 })
    expect(await verifyOn(on)).toMatchObject({
      status: 'equal',
      lists_failing: ['gala'],
      lists_changed: ['gala'],
      lists_compared: 1,
      events_changed: false,
      events_compared: 1,
    })
  })
})

onPostgresStage('verify, what cannot be read', (stage) => {
  test('an event that cannot be read: partial, the others are compared; a broken body is no changed list', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2, ball: 1 }))
    await on.sync()
    on.service.at('/events/gala/responses', ...Array<typeof resetBeforeHeaders>(3).fill(resetBeforeHeaders))
    on.service.at('/events/picnic/responses', send({ body: { error: 'none' } }))
    const report = await verifyOn(on)
    expect(report).toMatchObject({ status: 'partial', lists_compared: 1, lists_changed: [], errors_total: 2 })
    expect(report.errors.map(({ event_id, code }) => `${event_id} ${code}`).toSorted()).toEqual([
      'gala unreachable',
      'picnic contract',
    ])
  })

  test('a refused key, a service out of reach, another account, an unknown event: as a run', async () => {
    await using on = await stage(accountOf({ gala: 1, picnic: 1, ball: 1 }))
    await on.sync()
    expect(await failureOn(on, { apiKey: 'another-key' })).toMatchObject({ exitCode: 3 })
    on.service.at('/events', ...Array<typeof resetBeforeHeaders>(3).fill(resetBeforeHeaders))
    expect(await failureOn(on)).toMatchObject({ exitCode: 4 })
    for (const id of ['gala', 'picnic', 'ball']) on.service.at(`/events/${id}/responses`, send(refusal(403)))
    expect(await failureOn(on)).toMatchObject({ exitCode: 3 })
    expect(await failureOn(on, { events: ['nobody'] })).toMatchObject({ exitCode: 2 })
    expect(await failureOn(on, { sample: 0 })).toMatchObject({ exitCode: 2 })
    on.account.email = 'somebody.else@example.org'
    on.account.remove('gala', 'picnic', 'ball')
    on.account.add('other', 1)
    expect(await failureOn(on)).toMatchObject({ exitCode: 2, code: 'account_mismatch' })
  })

  test('an empty database is refused and migrate is named', async () => {
    await using on = await stage(accountOf({ gala: 1 }))
    await using place = await freshPlace('postgres', { blank: true })
    const failure = await failureOn({ target: place.url, service: on.service })
    expect(failure).toMatchObject({ exitCode: 5, code: 'schema_version' })
    expect(failure.message).toContain('headcount migrate')
  })
})

onPostgresStage('verify, how it reads', (stage) => {
  test('a sample is so many events, chosen by chance; named events are only these', async () => {
    await using on = await stage(accountOf({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }))
    await on.sync()
    await on.change(`update headcount.responses set name = 'X'`)
    const eventsOf = async (random: () => number) =>
      (await verifyOn(on, { sample: 2, random })).differences.map(({ event_id }) => event_id)
    expect(await eventsOf(() => 0)).toEqual(['a', 'b'])
    expect(await eventsOf(() => 0.999)).toEqual(['e', 'f'])
    expect((await verifyOn(on, { sample: 2 })).lists_compared).toBe(2)
    expect((await verifyOn(on, { sample: 10 })).lists_compared).toBe(6)
    await on.change(`delete from headcount.events where id in ('a', 'c')`)
    expect(inWords(await verifyOn(on, { events: ['c'] }))).toEqual([
      'events c: missing',
      'responses c 1: name Guest 1 | X',
    ])
  })

  test('10,000 rows in one list: in pieces, and behind them what the mirror has besides', async () => {
    await using on = await stage(longAccount())
    await on.run('sync')
    const rows = on.account.of('gala').length
    expect(await verifyOn(on)).toMatchObject({ status: 'equal', responses_compared: rows })
    await on.change(
      // The first, the last, and around the border of the first piece of 5,000.
      `delete from headcount.responses where id in (2, 10000, 10002, 20000)`,
      `insert into headcount.responses (account_id, event_id, id, kind, _run_id)
       select 1, 'gala', id, 'bare', 1 from unnest(array[1, 9999, 10001, 20001]) as id`,
    )
    expect(inWords(await verifyOn(on))).toEqual(
      [2, 10000, 10002, 20000, 1, 9999, 10001, 20001].map(
        (id) => `responses gala ${id}: ${id % 2 === 0 ? 'missing' : 'extra'}`,
      ),
    )
    await on.change(`update headcount.responses set name = 'X'`)
    const many = await verifyOn(on)
    expect({ listed: many.differences.length, total: many.differences_total }).toEqual({
      listed: 1000,
      total: rows + 4,
    })
  })

  test('writes nothing, and needs no right but to read', async () => {
    await using on = await stage(accountOf({ gala: 40, picnic: 3 }))
    await on.sync()
    on.account.of('gala').splice(0, 20)
    on.account.of('picnic').push('no object')
    await on.sync()
    await on.change(`update headcount.events set title = 'X'`)
    const before = on.mirror.rows()
    await using reader = await readerOf(on.url)
    expect(await verifyOn({ target: reader.url, service: on.service })).toMatchObject({
      status: 'different',
      differences_total: 2,
      held: 20,
      rejected: 1,
    })
    await on.change()
    expect(on.mirror.rows()).toEqual(before)
  })
})

/** One list of 10,000 short responses with even ids. */
function longAccount(): Account {
  const account = accountOf({ gala: 0 })
  account
    .of('gala')
    .push(...responsesFrom(1, 10_000).map((_, place) => ({ id: 2 * (place + 1), rsvp: 'yes' })))
  return account
}
