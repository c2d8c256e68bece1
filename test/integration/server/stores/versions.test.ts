/** What is served follows the rows: another entity-tag whenever they are others, and the same one while they are not. */
import { expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { readList } from '../../../../src/server/stores/mirror/list.ts'
import { createLargeListSlots } from '../../../../src/server/stores/mirror/large-list-slots.ts'
import { accountOf, refusal, responseItem } from '../../../support/accounts/account.ts'
import { send } from '../../../support/http/fault-server.ts'
import { readLive } from '../../../support/mirror/live-rows.ts'
import { EVENTS, mirrorClient, responsesTo } from '../../../support/http/mirror-client.ts'
import { keyOf, serve } from '../../../support/http/serving.ts'
import { onBothStages, onPostgresStage, type Stage } from '../../../support/runs/stage.ts'

const titlesIn = (body: string) => (JSON.parse(body) as { title: string }[]).map(({ title }) => title)

function rename({ account }: Stage, title: string): void {
  Object.assign(account.events[0] ?? {}, { title })
}

/** A run of this mirror, and one of the mirror that reads what this one serves. */
async function follow(on: Stage, baseUrl: string, apiKey: string): Promise<void> {
  expect(await on.run('sync', { account: 'second', createAccount: true, baseUrl, apiKey })).toMatchObject({
    exit: 0,
  })
}

const liveOf = async ({ target }: Stage, account: string) => {
  await using database = await connect(target)
  return await readLive(database, account)
}

onBothStages('what is served', (stage) => {
  test('V1 follows at once what a later run mends of a list that a partial run has stored; a second mirror ends equal', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.run('sync')
    await using serving = await serve(on.target)
    const client = await mirrorClient(on.target, serving)
    const key = await keyOf(on.target)
    await follow(on, serving.url, key)
    expect(titlesIn((await client.read(EVENTS)).body)).toEqual(['The gala', 'The picnic'])

    rename(on, 'Renamed')
    on.account.add('ball', 2)
    on.service.at(`/events/gala/responses`, send(refusal(400)))
    on.service.at(`/events/ball/responses`, send(refusal(400)))
    expect(await on.run('sync')).toMatchObject({ exit: 6 })
    const partial = await client.read(EVENTS)
    expect(titlesIn(partial.body)).toEqual(['The gala', 'The picnic'])
    await follow(on, serving.url, key)

    expect(await on.run('sync')).toMatchObject({ exit: 0 })
    const mended = await client.read(EVENTS)
    expect(titlesIn(mended.body)).toEqual(['The ball', 'Renamed', 'The picnic'])
    expect(mended.etag).not.toBe(partial.etag)
    await using another = await serve(on.target)
    expect(await client.readFrom(another, EVENTS)).toEqual(mended)
    await follow(on, serving.url, key)
    expect(await liveOf(on, 'second')).toEqual(await liveOf(on, 'default'))
  })

  test('V2 is another version once backfill mends what a hand has changed, and the same where it mended nothing', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 3, ball: 3, fair: 3, quiet: 3 }))
    await on.run('sync')
    await using first = await serve(on.target)
    const client = await mirrorClient(on.target, first)
    const lists = ['gala', 'picnic', 'ball', 'fair', 'quiet'].map(responsesTo)
    const readAll = async (read: typeof client.read) =>
      new Map(await Promise.all([EVENTS, ...lists].map(async (path) => [path, await read(path)] as const)))
    const before = await readAll(client.read)
    await on.change(
      `update headcount.events set title = 'by hand' where id = 'gala'`,
      `update headcount.responses set name = 'by hand' where event_id = 'gala' and id = 1`,
      `update headcount.payments set amount = 1 where event_id = 'picnic'`,
      `update headcount.slots set name = 'by hand' where event_id = 'ball' and position = 2`,
      `insert into headcount.responses (account_id, event_id, id, kind, _run_id) values (1, 'fair', 99, 'bare', 1)`,
    )
    // A process that began meanwhile shows what is there, under the version of before.
    await using second = await serve(on.target)
    const own = await mirrorClient(on.target, second)
    const byHand = await readAll(own.read)
    const changed = [EVENTS, ...lists.slice(0, -1)]
    for (const path of changed) expect(byHand.get(path)?.body).not.toBe(before.get(path)?.body)

    await on.run('backfill')
    for (const [path, { body, etag }] of await readAll(own.read)) {
      expect([path, body]).toEqual([path, before.get(path)?.body])
      expect([path, etag === before.get(path)?.etag]).toEqual([path, !changed.includes(path)])
    }
    await readAll(client.read)
  })

  test('V3 follows at once when a run dies between removing events and storing their list', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.run('sync')
    await using serving = await serve(on.target)
    const client = await mirrorClient(on.target, serving)
    const before = await client.read(EVENTS)
    await on.change(
      `create function no_list() returns trigger language plpgsql as $$ begin raise 'no list'; end $$`,
      `create trigger no_list before update of checked_at on headcount.sync_state
         for each row when (new.event_id = '') execute function no_list()`,
    )
    const [gala, picnic] = [on.account.events, on.account.of('picnic')]
    on.account.remove('picnic')
    expect(await on.run('sync')).toMatchObject({ exit: 5 })
    const after = await client.read(EVENTS)
    expect(titlesIn(after.body)).toEqual(['The gala'])
    expect(after.etag).not.toBe(before.etag)
    expect((await client.read(responsesTo('picnic'))).status).toBe(404)

    // The service goes back to the list that was stored before.
    await on.change('drop trigger no_list on headcount.sync_state')
    on.account.events = gala
    on.account.responses.set('picnic', picnic)
    expect(await on.run('sync')).toMatchObject({ exit: 0 })
    const back = await client.read(EVENTS)
    expect(titlesIn(back.body)).toEqual(['The gala', 'The picnic'])
    expect(JSON.parse((await client.read(responsesTo('picnic'))).body)).toHaveLength(2)
  })
})

onPostgresStage('the version of a list', (stage) => {
  const versions = (on: Stage) =>
    on.query('select event_id, list_version::text from headcount.sync_state order by event_id')

  test('V1 stays in a run that changes nothing, whatever it reads, and one list changes it for no other', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    const first = await versions(on)
    expect(new Set(first.map(([, version]) => version)).size).toBe(3)
    on.account.events.reverse()
    on.account.of('gala').reverse()
    await on.sync()
    await on.sync({ all: true })
    await on.backfill()
    expect(await versions(on)).toEqual(first)

    on.account.of('gala').push(responseItem(50))
    await on.sync()
    const second = await versions(on)
    expect(changedIn(first, second)).toEqual(['gala'])
    rename(on, 'Renamed')
    await on.sync()
    const third = await versions(on)
    expect(changedIn(second, third)).toEqual([''])
    on.account.of('gala').pop()
    await on.sync()
    expect(changedIn(third, await versions(on))).toEqual(['gala'])
  })

  test('V1 is there for a list with rejects and for one of which something is held: they have entity-tags', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 30 }))
    await on.run('sync')
    await using serving = await serve(on.target)
    const client = await mirrorClient(on.target, serving)
    const held = await client.read(responsesTo('picnic'))
    on.account.of('gala').push({ name: 'without an id' })
    Object.assign(Object(on.account.of('gala')[0]), { name: 'Another' })
    on.account.responses.set('picnic', [])
    expect(await on.run('sync')).toMatchObject({ exit: 8 })
    expect(await client.read(responsesTo('picnic'))).toEqual(held)
    const spoilt = await client.read(responsesTo('gala'))
    expect(spoilt.body).toContain('Another')
    // Of an item that cannot be stored any more the row stays that it had.
    on.account.responses.set('gala', [{ id: 2.5 }, ...on.account.of('gala').slice(1)])
    await on.run('sync')
    expect(await client.read(responsesTo('gala'))).toEqual(spoilt)
  })

  test('V3 of an event that is gone when its list is read: it is not there, and no empty list', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    await using database = await connect(on.target)
    const whole = { after: null, limit: null }
    const read = (list: string) => {
      const asked = { account: 1, list, requester: { account: '1', key: '1' } }
      return readList(database, createLargeListSlots(1), asked, whole)
    }
    expect(await read('gone')).toBeUndefined()
    expect(await read('gala')).toMatchObject({ isWhole: true })
  })

  test('V1 is another one for every list when two batches are written at once', async () => {
    const names = Array.from({ length: 12 }, (_, place) => `event-${place}`)
    await using on = await stage(accountOf(Object.fromEntries(names.map((name) => [name, 3]))))
    await on.sync()
    const first = await versions(on)
    for (const event of on.account.events) Object.assign(Object(event), { title: 'All others' })
    for (const name of names) Object.assign(Object(on.account.of(name)[0]), { message: 'Another one' })
    await on.sync({ batchRows: 2 })
    expect(changedIn(first, await versions(on))).toHaveLength(names.length + 1)
  })
})

/** Lists whose version is another one. */
function changedIn(
  former: readonly (readonly unknown[])[],
  present: readonly (readonly unknown[])[],
): readonly unknown[] {
  const versions = new Map(former.map(([id, version]) => [id, version]))
  return present.flatMap(([id, version]) => (versions.get(id) === version ? [] : [id]))
}
