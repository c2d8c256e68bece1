/** Links: what they show, to whom, how often it is computed, and what spreadsheets and calendar programs make of it. */
import { gunzipSync } from 'node:zlib'
import ICAL from 'ical.js'
import { request } from 'undici'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { connect, type Database } from '../../../src/db/connect.ts'
import { EXPORTABLE } from '../../../src/outputs/export/select-views.ts'
import {
  createLink,
  erasePerson,
  revokeLink,
  setAccount,
  type CreateLinkOptions,
} from '../../../src/index.ts'
import { createLinkBodies } from '../../../src/server/links/link-bodies.ts'
import { createLinks } from '../../../src/server/links/link-responder.ts'
import { accountOf, responseItem, type Account } from '../../support/accounts/account.ts'
import { send } from '../../support/http/fault-server.ts'
import { listening, mirrorStore } from '../../support/http/http-service.ts'
import { serve } from '../../support/http/serving.ts'
import { onBothStages, onPostgresStage, optionOf, type Stage } from '../../support/runs/stage.ts'

const slot = (name: string, day: string, hours: readonly [number, number]) => ({
  name,
  start_date: `${day}T${String(hours[0]).padStart(2, '0')}:00:00+02:00`,
  end_date: `${day}T${String(hours[1]).padStart(2, '0')}:00:00+02:00`,
})

/** So many days from now, as a date. */
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const soon = inDays(10)

function clubAccount(): Account {
  const account = accountOf({})
  account.add('gala', 0, {
    title: 'Gala, the <big> one',
    event_at: `${soon}T18:00:00Z`,
    location: 'Town hall; room 1',
  })
  account.add('fair', 1, { title: 'Fair', event_at: `${inDays(20)}T08:00:00Z` })
  account.of('gala').push(
    responseItem(3, {
      name: 'Ada',
      email: 'ada@example.org',
      message: '=1+1',
      quantity: 2,
      slots: [slot('Bar', soon, [20, 22])],
    }),
    responseItem(6, {
      name: 'Ben <b>',
      email: 'ben@example.org',
      quantity: 1,
      slots: [slot('Bar', soon, [20, 22]), slot('Door', soon, [18, 19])],
    }),
  )
  return account
}

interface Given {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

interface Shown {
  readonly errors: readonly unknown[]
  readonly get: (
    path: string,
    headers?: Record<string, string>,
    method?: 'GET' | 'HEAD' | 'POST',
  ) => Promise<Given>
  readonly make: (
    options: Omit<CreateLinkOptions, 'database'>,
  ) => Promise<{ readonly id: number; readonly path: string }>
}

/** The mirror of a stage, served with its links until the test ends. */
async function showing(stage: Stage): Promise<Shown> {
  const serving = await serve(stage.target)
  onTestFinished(() => serving[Symbol.asyncDispose]())
  const base = serving.url.replace(/\/api\/v1$/, '')
  return {
    errors: serving.errors,
    get: getter(base),
    make: (options) => createLink({ ...optionOf(stage.target), ...options }),
  }
}

const getter =
  (base: string): Shown['get'] =>
  async (path, headers = {}, method = 'GET') => {
    const { statusCode, headers: answered, body } = await request(base + path, { headers, method })
    const bytes = Buffer.from(await body.arrayBuffer())
    const text =
      answered['content-encoding'] === 'gzip' && bytes.length > 0
        ? gunzipSync(bytes).toString()
        : bytes.toString()
    return { status: statusCode, headers: answered, text }
  }

async function clubStage(
  start: (account: Account) => Promise<Stage>,
  account = clubAccount(),
): Promise<Stage> {
  const stage = await start(account)
  expect((await stage.sync()).status).toBe('succeeded')
  return stage
}

onBothStages('a link', (start) => {
  test('shows what a spreadsheet takes: local times, no formulas, one event', async () => {
    await using stage = await clubStage(start)
    await setAccount({ ...optionOf(stage.target), account: 'default', timeZone: 'Europe/Berlin' })
    const { get, make } = await showing(stage)
    const { path } = await make({ view: 'responses', format: 'csv', event: 'gala' })
    expect(path).toMatch(/^\/l\/[\w-]{43}\/responses\.csv$/)
    const { status, headers, text } = await get(path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'inline; filename="responses.csv"',
      'cache-control': 'private, no-cache',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    const [head, ada, ben, end] = text.split('\r\n')
    expect(head).toMatch(/^account_id,event_id,id,kind,name,email,message,/)
    expect(ada).toContain(",Ada,ada@example.org,'=1+1,2,")
    expect(ada).toContain('2026-03-01 11:00:00')
    expect(ben).toContain(',Ben <b>,')
    expect(end).toBe('')
  })

  test('shows a page without scripts, whose markup no name breaks, and JSON as query has it', async () => {
    await using stage = await clubStage(start)
    const { get, make } = await showing(stage)
    const page = await get((await make({ view: 'response_details', format: 'html' })).path)
    expect(page.text).toContain('<td>Ben &lt;b&gt;</td>')
    expect(page.text).toContain('<meta name="robots" content="noindex, nofollow">')
    expect(page.text.match(/<tr>/g)).toHaveLength(4)
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
    const json = await get((await make({ view: 'slots', format: 'json', event: 'gala' })).path)
    const rows = JSON.parse(json.text) as readonly { readonly response_id: string; readonly name: string }[]
    expect(rows.map(({ response_id, name }) => [response_id, name])).toEqual([
      ['3', 'Bar'],
      ['6', 'Bar'],
      ['6', 'Door'],
    ])
    expect((await get((await make({ view: 'slots', format: 'json', event: 'fair' })).path)).text).toBe('[]\n')
  })
})

onPostgresStage('a link (postgres)', (start) => {
  test('says when the account was last read, and not when a run failed', async () => {
    await using stage = await clubStage(start)
    const { get, make } = await showing(stage)
    const { path } = await make({ view: 'events', format: 'html' })
    const [row] = await stage.change(
      `update headcount.sync_runs set started_at = started_at - interval '1 day', finished_at = finished_at - interval '1 day'
       returning to_char(finished_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI')`,
    )
    stage.service.next(send({ status: 401 }))
    expect((await stage.sync()).exit).toBe(3)
    expect((await get(path)).text).toContain(`<p>account default, as of ${String(row?.[0])} UTC</p>`)
  })

  test('shows no empty table before something was read', async () => {
    await using stage = await start(clubAccount())
    stage.service.next(send({ status: 401 }))
    expect((await stage.sync()).exit).toBe(3)
    const { get, make, errors } = await showing(stage)
    const made = [
      await make({ view: 'responses', format: 'csv' }),
      await make({ view: 'report', format: 'html' }),
    ]
    for (const { path } of made)
      expect(await get(path)).toMatchObject({ status: 503, text: expect.stringContaining('"not_mirrored"') })
    expect(errors).toEqual([])
    await stage.sync()
    for (const { path } of made) expect((await get(path)).status).toBe(200)
  })

  test('without personal data shows no name, address or message in any form', async () => {
    await using stage = await clubStage(start)
    const { get, make } = await showing(stage)
    const made = await Promise.all(
      (['csv', 'html', 'json', 'ics'] as const).map((format) =>
        make({ view: 'slots', format, withoutPersonal: true }),
      ),
    )
    for (const { path } of made) {
      const { status, text } = await get(path)
      expect(status).toBe(200)
      expect(text).toContain('Bar')
      expect(text).not.toMatch(/Ada|Ben|example\.org|1\+1/)
    }
  })

  test('of an event or a view that it cannot show is not made, with the nearest right one', async () => {
    await using stage = await clubStage(start)
    const { make } = await showing(stage)
    const wrong: [Parameters<typeof make>[0], RegExp][] = [
      [{ view: 'event_sumary', format: 'csv' }, /there is no table or view "event_sumary".*event_summary/],
      [{ view: 'event_summary', format: 'csv', event: 'gal' }, /has no event "gal".*gala/],
      [{ view: 'respondents', format: 'csv', event: 'gala' }, /rows of respondents are of no event/],
      [
        { view: 'respondents', format: 'ics' },
        /respondents is no calendar: choose one of events, event_summary, slots/,
      ],
      [{ view: 'response_history', format: 'csv', withoutPersonal: true }, /personal data as a whole/],
      [{ view: 'api_keys', format: 'csv' }, /there is no table or view "api_keys"/],
      [{ view: 'events', format: 'csv', expiresAt: '2020-01-01' }, /past/],
      [{ view: 'events', format: 'xml' as never }, /must be one of csv, html, ics, json/],
      [{ view: 'events', format: 'csv', account: 'north' }, /no account "north"/],
    ]
    for (const [options, message] of wrong) await expect(make(options)).rejects.toThrow(message)
  })

  test('of one event shows the changes of one that was removed, and the events without personal data', async () => {
    await using stage = await clubStage(start)
    stage.account.remove('fair')
    await stage.sync({ acceptDeletions: true })
    const { get, make } = await showing(stage)
    const changes = await make({ view: 'event_changes', format: 'json', event: 'fair' })
    expect((await get(changes.path)).text).toContain('"event_id":"fair"')
    await expect(make({ view: 'events', format: 'json', event: 'fair' })).rejects.toThrow(/no event "fair"/)
    const one = await make({ view: 'events_without_personal', format: 'json', event: 'gala' })
    const rows = JSON.parse((await get(one.path)).text) as readonly { readonly id: string }[]
    expect(rows.map(({ id }) => id)).toEqual(['gala'])
  })

  test('of an erased person shows nothing from the next request on', async () => {
    await using stage = await clubStage(start)
    const { get, make } = await showing(stage)
    const { path } = await make({ view: 'slots', format: 'ics' })
    const before = (await get(path)).text
    expect(before).toContain('Ada')
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const personKey = 'k'.repeat(43)
    await erasePerson({ ...optionOf(stage.target), email: 'ada@example.org', personKey })
    const after = (await get(path)).text
    expect(after).not.toContain('Ada')
    const newest = (text: string) =>
      Math.max(...[...text.matchAll(/SEQUENCE:(\d+)/g)].map(([, digits]) => Number(digits)))
    expect(newest(after)).toBeGreaterThan(newest(before))
  })
})

onPostgresStage('odd texts', (start) => {
  test('are one cell of CSV each, and no line of one begins a row', async () => {
    const odd = ['x\n=1+1', 'x\r=1+1', 'x\r\n=1+1']
    const account = accountOf({ gala: 0 })
    account.of('gala').push(...odd.map((name, at) => responseItem(at + 1, { name })))
    await using stage = await clubStage(start, account)
    const { get, make } = await showing(stage)
    const { text } = await get((await make({ view: 'responses', format: 'csv' })).path)
    for (const name of odd) expect(text).toContain(`,"${name}",`)
  })

  test('are lines of a calendar without other control characters; too much text is refused before it is made', async () => {
    const account = accountOf({ gala: 0 })
    account.of('gala').push(responseItem(1, { slots: [slot('one\r\ntwo\u0007', soon, [18, 19])] }))
    for (let at = 0; at < 6; at++)
      account.add(`long-${at}`, 0, { description: 'x'.repeat(900_000), event_at: `${soon}T18:00:00Z` })
    await using stage = await clubStage(start, account)
    const { get, make } = await showing(stage)
    const slots = await get((await make({ view: 'slots', format: 'ics' })).path)
    expect(slots.text.endsWith('\r\nEND:VCALENDAR\r\n')).toBe(true)
    expect(slots.text).toContain(String.raw`SUMMARY:one\ntwo\, The gala`)
    await stage.change(String.raw`update headcount.accounts set name = E'Choir; north\nEND:VCALENDAR'`)
    const renamed = await get((await make({ view: 'slots', format: 'ics' })).path)
    expect(renamed.text).toContain(String.raw`NAME:Slots (Choir\; north\nEND:VCALENDAR)`)
    const events = await get((await make({ view: 'events', format: 'ics' })).path)
    expect([events.status, JSON.parse(events.text)]).toMatchObject([413, { code: 'link_too_large' }])
  })
})

const parseCalendar = (text: string) => {
  const component = new ICAL.Component(ICAL.parse(text) as never)
  const entries = component.getAllSubcomponents('vevent').map((part) => {
    const event = new ICAL.Event(part)
    const value = (name: string) => part.getFirstPropertyValue(name)?.toString() ?? null
    return {
      uid: event.uid,
      summary: event.summary,
      description: event.description,
      location: event.location,
      start: event.startDate.toJSDate().toISOString(),
      end: event.endDate.toJSDate().toISOString(),
      sequence: event.sequence ?? 0,
      status: value('status'),
      stamp: value('dtstamp'),
    }
  })
  const value = (name: string) => component.getFirstPropertyValue(name)?.toString()
  return {
    entries,
    name: value('x-wr-calname'),
    refresh: value('refresh-interval'),
    ttl: value('x-published-ttl'),
  }
}
const entryOf = <T extends { readonly summary: string }>(entries: readonly T[], summary: string) => {
  const found = entries.find((entry) => entry.summary.startsWith(summary))
  if (found === undefined) throw new Error(`no entry ${summary}`)
  return found
}

onBothStages('a calendar', (start) => {
  test('of slots is a rota whose entries keep their ids, count up, and are cancelled when they went', async () => {
    await using stage = await clubStage(start)
    const { get, make } = await showing(stage)
    const first = await get((await make({ view: 'slots', format: 'ics' })).path)
    expect(first.headers['content-type']).toBe('text/calendar; charset=utf-8; method=PUBLISH')
    const before = parseCalendar(first.text)
    expect(before).toMatchObject({ name: 'Slots (default)', refresh: 'PT15M', ttl: 'PT15M' })
    const bar = entryOf(before.entries, 'Bar')
    expect(bar).toMatchObject({
      summary: 'Bar, Gala, the <big> one',
      location: 'Town hall; room 1',
      description: 'Ada × 2, Ben <b>\nPeople: 3, wanted: 2',
      start: `${soon}T18:00:00.000Z`,
      end: `${soon}T20:00:00.000Z`,
      status: 'CONFIRMED',
    })
    expect(bar.uid).toMatch(/^[0-9a-f]{40}@headcount$/)

    await new Promise((resolve) => setTimeout(resolve, 1100))
    stage.account.of('gala').splice(1)
    expect((await stage.sync()).status).toBe('succeeded')
    const after = parseCalendar((await get((await make({ view: 'slots', format: 'ics' })).path)).text)
    expect(entryOf(after.entries, 'Bar')).toMatchObject({
      uid: bar.uid,
      description: 'Ada × 2\nPeople: 2, wanted: 2',
      status: 'CONFIRMED',
    })
    expect(entryOf(after.entries, 'Bar').sequence).toBeGreaterThan(bar.sequence)
    const door = entryOf(after.entries, 'Door')
    expect(door).toMatchObject({ uid: entryOf(before.entries, 'Door').uid, status: 'CANCELLED' })
    expect(door.sequence).toBeGreaterThan(entryOf(before.entries, 'Door').sequence)
    expect(door.description ?? '').not.toContain('Ben')
  })
})

onPostgresStage('a calendar (postgres)', (start) => {
  test('of slots counts up in what is cancelled, too: when its event is renamed, goes, and comes back', async () => {
    await using stage = await clubStage(start)
    const { get, make } = await showing(stage)
    const { account } = stage
    const [gala] = account.events
    stage.account.of('gala').splice(1)
    const responses = account.of('gala')
    const door = async (options: Parameters<Stage['sync']>[0] = {}) => {
      // `SEQUENCE` counts seconds.
      await new Promise((resolve) => setTimeout(resolve, 1100))
      for (let run = 0; run < 3; run++) await stage.sync(options)
      return entryOf(
        parseCalendar((await get((await make({ view: 'slots', format: 'ics' })).path)).text).entries,
        'Door',
      )
    }
    const seen = [await door()]
    Object.assign(Object(gala), { title: 'Gala in the barn', location: 'Barn' })
    seen.push(await door())
    account.remove('gala')
    seen.push(await door({ holdForMs: 0 }))
    account.events.push(gala)
    account.responses.set('gala', responses)
    seen.push(await door({ all: true }))
    expect(seen.map(({ status }) => status)).toEqual(seen.map(() => 'CANCELLED'))
    expect(seen[1]).toMatchObject({ summary: 'Door, Gala in the barn', location: 'Barn' })
    const sequences = seen.map(({ sequence }) => sequence)
    expect(sequences).toEqual(sequences.toSorted((one, other) => one - other))
    expect(new Set(sequences).size).toBe(4)
  })

  test('of events has a time each, and cancels one that is listed no longer', async () => {
    await using stage = await clubStage(start)
    stage.account.add('someday', 1, { title: 'Someday' })
    await stage.sync()
    const { get, make } = await showing(stage)
    const before = parseCalendar(
      (await get((await make({ view: 'event_summary', format: 'ics' })).path)).text,
    )
    expect(before.entries.map(({ summary }) => summary)).toEqual(['Gala, the <big> one', 'Fair'])
    expect(entryOf(before.entries, 'Fair').description).toMatch(/^Expected: \d+\nReplies: /)
    stage.account.remove('fair')
    for (let run = 0; run < 3; run++) await stage.sync({ holdForMs: 0 })
    const after = parseCalendar((await get((await make({ view: 'events', format: 'ics' })).path)).text)
    expect(entryOf(after.entries, 'Fair')).toMatchObject({
      uid: entryOf(before.entries, 'Fair').uid,
      status: 'CANCELLED',
    })
    expect(entryOf(after.entries, 'Gala')).toMatchObject({
      status: 'CONFIRMED',
      uid: entryOf(before.entries, 'Gala').uid,
    })
    const one = await make({ view: 'thin_slots', format: 'ics', event: 'gala' })
    expect(parseCalendar((await get(one.path)).text).entries.map(({ summary }) => summary)).toEqual([
      'Door, Gala, the <big> one',
    ])
  })

  test('names everybody who takes a slot, and every event, also those whose names are empty or blank', async () => {
    const account = accountOf({})
    const event_at = `${soon}T18:00:00Z`
    account.add('gala', 0, { title: '', event_at })
    account.add('fair', 0, { title: ' \t', event_at })
    const slots = [slot('Bar', soon, [20, 22])]
    for (const [at, name] of ['', ' ', '\t', 'Ada'].entries())
      account.of('gala').push(responseItem(3 * (at + 1), { name, quantity: 1, slots }))
    account.of('fair').push(responseItem(1, { quantity: 1, slots: [slot('', soon, [18, 19])] }))
    await using stage = await clubStage(start, account)
    const { get, make } = await showing(stage)
    const rota = parseCalendar((await get((await make({ view: 'slots', format: 'ics' })).path)).text)
    expect(entryOf(rota.entries, 'Bar')).toMatchObject({
      summary: 'Bar, event gala',
      description: 'somebody, somebody, somebody, Ada\nPeople: 4, wanted: 2',
    })
    expect(rota.entries.map(({ summary }) => summary)).toContain('event fair')
    const events = parseCalendar((await get((await make({ view: 'events', format: 'ics' })).path)).text)
    expect(events.entries.map(({ summary }) => summary).toSorted()).toEqual(['Event fair', 'Event gala'])
  })

  test('is the same bytes while nothing changed', async () => {
    await using stage = await clubStage(start)
    const { get, make } = await showing(stage)
    const [first, second] = await Promise.all([
      make({ view: 'slots', format: 'ics' }),
      make({ view: 'slots', format: 'ics' }),
    ])
    const one = await get(first.path)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const other = await get(second.path)
    expect(other.text).toBe(one.text)
    expect(other.headers['etag']).toBe(one.headers['etag'])
  })
})

onPostgresStage('the address of a link', (start) => {
  test('opens what it shows and nothing else; wrong, revoked and expired ones open nothing', async () => {
    await using stage = await clubStage(start)
    const { get, make } = await showing(stage)
    const { id, path } = await make({ view: 'event_summary', format: 'csv' })
    const token = path.split('/')[2] ?? ''
    const flipped = (token.startsWith('A') ? 'B' : 'A') + token.slice(1)
    for (const wrong of [flipped, token.slice(1), 'x', `${token}x`, token.toLowerCase(), 'a'.repeat(5000)])
      expect((await get(`/l/${wrong}/event-summary.csv`)).status).toBe(404)
    expect((await get('/api/v1/events', { 'X-API-Key': token })).status).toBe(401)
    expect((await get(path, {}, 'POST')).status).toBe(405)
    expect((await get(path)).status).toBe(200)

    await stage.change(`update headcount.links set expires_at = now() - interval '1 second' where id = ${id}`)
    const expired = await get(path)
    expect(expired).toMatchObject({ status: 410, text: expect.stringContaining('"link_expired"') })
    expect(expired.headers).toMatchObject({
      'x-robots-tag': 'noindex, nofollow',
      'cache-control': 'no-store',
    })
    await revokeLink({ ...optionOf(stage.target), id })
    const person = { Accept: 'text/html,application/xhtml+xml' }
    expect(await get(path, person)).toMatchObject({
      status: 410,
      text: 'This link was revoked: it shows nothing any more: ask for a new one.\n',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
  })

  test('of a view that no longer exists says so, with 410', async () => {
    await using stage = await clubStage(start)
    const { get, make } = await showing(stage)
    const { id, path } = await make({ view: 'event_summary', format: 'csv' })
    await stage.change(`update headcount.links set view = 'attendance' where id = ${id}`)
    const { status, text } = await get(path)
    expect([status, JSON.parse(text)]).toMatchObject([
      410,
      { code: 'link_view_removed', detail: /attendance no longer exists/ },
    ])
  })

  test('shows rows of its own account alone, and nothing once that is removed', async () => {
    await using stage = await clubStage(start)
    const other = accountOf({ gala: 1 })
    other.of('gala').splice(0, 1, responseItem(1, { name: 'Zoe of the north' }))
    await stage.change(
      `insert into headcount.accounts (name) values ('north')`,
      `insert into headcount.events (account_id, id, title, _run_id) select id, 'north-only', 'Of the north', 1 from headcount.accounts where name = 'north'`,
      `insert into headcount.sync_state (account_id, event_id, last_full_read_at) select account_id, id, now() from headcount.events where id = 'north-only'`,
    )
    const { get, make } = await showing(stage)
    for (const view of EXPORTABLE) {
      const { path } = await make({ view, format: 'json', account: 'north' })
      const { status, text } = await get(path)
      expect([view, status]).toEqual([view, 200])
      expect(text).not.toMatch(/Ada|Gala/)
    }
    const { path } = await make({ view: 'events', format: 'csv', account: 'default' })
    expect((await get(path)).text).not.toContain('Of the north')
    await stage.change(`update headcount.links set revoked_at = now() where account_id = 1`)
    expect((await get(path)).status).toBe(410)
  })

  test('is in no log, and its use is recorded by the day', async () => {
    await using stage = await clubStage(start)
    const lines: unknown[] = []
    await using serving = await serve(stage.target, {
      mountPath: '/club',
      onRequest: (entry) => lines.push(entry),
    })
    const get = getter(serving.url.replace(/\/api\/v1$/, ''))
    const { id, path } = await createLink({ ...optionOf(stage.target), view: 'events', format: 'csv' })
    const token = path.split('/')[2] ?? ''
    const encoded = [`/%6c/${token}/x`, `/L/${token}/x`, `/l%2f${token}/x`, `/x/${token}`]
    for (const at of [
      path,
      `/club${path}`,
      `${path}?a=${token}`,
      `/l/${token}`,
      `//l/${token}/x`,
      ...encoded,
    ])
      await get(at)
    expect(lines).toHaveLength(9)
    // The router reads each escape by itself: one that cannot be read does not keep it from the others.
    const escaped = `${token.slice(0, 20)}%${token.charCodeAt(20).toString(16)}${token.slice(21)}`
    const opening = [`/%6c/${escaped}/x%zz`, `/l/${escaped}/x%ff`, `/l/${escaped}/%`]
    for (const at of opening) expect((await get(at)).status).toBe(200)
    expect(lines).toHaveLength(12)
    expect(JSON.stringify(lines)).not.toContain(token.slice(21))
    const [row] = await stage.query(
      `select last_used_on = (now() at time zone 'UTC')::date, sha256 from headcount.links where id = ${id}`,
    )
    expect(row).toEqual([true, expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(JSON.stringify(await stage.query('select * from headcount.links'))).not.toContain(token)
  })
})

describe('the programs that read links', () => {
  onPostgresStage('as they ask', (start) => {
    test('IMPORTDATA of Google Sheets: gzip, and 304 for what it has', async () => {
      await using stage = await clubStage(start)
      const { get, make } = await showing(stage)
      const { path } = await make({ view: 'event_summary', format: 'csv' })
      const headers = {
        'User-Agent': 'Mozilla/5.0 (compatible; GoogleDocs; apps-spreadsheets; +http://docs.google.com)',
        'Accept-Encoding': 'gzip, deflate, br',
        Accept: '*/*',
      }
      const first = await get(path, headers)
      expect(first.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
      expect(first.text.split('\r\n')).toHaveLength(4)
      const again = await get(path, { ...headers, 'If-None-Match': String(first.headers['etag']) })
      expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', first.headers['etag']])
      const plain = await get(path)
      expect(plain.text).toBe(first.text)
      expect(plain.headers['etag']).not.toBe(first.headers['etag'])
    })

    test('Excel, data from the web: a table with a head in a page, and CSV', async () => {
      await using stage = await clubStage(start)
      const { get, make } = await showing(stage)
      const headers = {
        'User-Agent': 'Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)',
        'Accept-Encoding': 'gzip, deflate',
        'Cache-Control': 'no-cache',
        Pragma: 'no-cache',
      }
      const page = await get((await make({ view: 'event_summary', format: 'html' })).path, headers)
      expect(
        page.text.match(/<table>\n<thead>\n<tr>(?:<th scope="col">\w+<\/th>)+<\/tr>\n<\/thead>\n<tbody>/),
      ).not.toBeNull()
      const { path } = await make({ view: 'event_summary', format: 'csv' })
      const csv = await get(path, headers)
      expect(csv.status).toBe(200)
      const head = await get(path, headers, 'HEAD')
      expect([head.status, head.text]).toEqual([200, ''])
      const again = await get(path, { ...headers, 'If-None-Match': String(csv.headers['etag']) })
      expect(again.status).toBe(304)
    })

    test.each([
      'iOS/18.1 (22B83) dataaccessd/1.0',
      'Google-Calendar-Importer',
      'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17928; Pro)',
      'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.5.0',
    ])('a calendar program: %s', async (agent) => {
      await using stage = await clubStage(start)
      const { get, make } = await showing(stage)
      const { path } = await make({ view: 'slots', format: 'ics' })
      const { status, text } = await get(path, {
        'User-Agent': agent,
        'Accept-Encoding': 'gzip',
        Accept: 'text/calendar, */*',
      })
      expect([status, text.slice(0, 15)]).toEqual([200, 'BEGIN:VCALENDAR'])
      for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    })
  })
})

describe('the bodies of links', () => {
  /** A service over a database whose computations are counted, with a clock of the test. */
  async function counted(stage: Stage, limits: { readonly timeoutMs?: number } = {}) {
    const opened = await connect(stage.url)
    onTestFinished(() => opened.close())
    let [clock, running, most, computed] = [0, 0, 0, 0]
    const database: Database = {
      ...opened,
      kysely: opened.kysely,
      transaction: (work, options) =>
        opened.transaction(async (trx) => {
          if (options?.readOnly !== true) return work(trx)
          computed += 1
          running += 1
          most = Math.max(most, running)
          try {
            return await work(trx)
          } finally {
            running -= 1
          }
        }, options),
    }
    const links = createLinks(database, {
      maxAgeMs: 60_000,
      onError: () => {},
      now: () => clock,
      ...limits,
    })
    const { url, errors } = await listening(mirrorStore(opened), { links })
    return {
      get: getter(url.replace(/\/api\/v1$/, '')),
      make: (options: Omit<CreateLinkOptions, 'database'>) =>
        createLink({ ...optionOf(stage.target), ...options }),
      pass: (ms: number) => (clock += ms),
      errors,
      counts: () => ({ computed, most }),
    }
  }

  onPostgresStage('made', (start) => {
    test('once a minute at most, whoever asks, and by one computation at a time', async () => {
      await using stage = await clubStage(start)
      const { get, make, pass, counts } = await counted(stage)
      const made = await Promise.all(
        ['events', 'responses', 'slot_summary'].map((view) => make({ view, format: 'csv' })),
      )
      const askAll = () => Promise.all([...made, ...made, ...made].map(({ path }) => get(path)))
      const answers = await askAll()
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      expect(counts()).toEqual({ computed: 3, most: 1 })
      pass(59_999)
      await askAll()
      expect(counts().computed).toBe(3)
      pass(1)
      await askAll()
      expect(counts()).toEqual({ computed: 6, most: 1 })
    })

    test('within a time and a size; that one is too slow is found out once a minute, too', async () => {
      await using stage = await clubStage(start)
      const { get, make, counts } = await counted(stage, { timeoutMs: 1000 })
      await stage.change(
        `create or replace function headcount_internal.slow(text) returns text language sql volatile as 'select pg_sleep(30)::text || $1'`,
        'drop view headcount.rsvp_values cascade',
        `create view headcount.rsvp_values as select account_id, 'default' as account, headcount_internal.slow(id) as value, 1::bigint as responses, 'x' as meaning from headcount.events`,
      )
      const slow = await make({ view: 'rsvp_values', format: 'csv' })
      const first = await get(slow.path)
      expect([first.status, JSON.parse(first.text)]).toMatchObject([503, { code: 'link_too_slow' }])
      const { computed } = counts()
      expect((await get(slow.path)).status).toBe(503)
      expect(counts().computed).toBe(computed)

      await stage.change(
        'drop view headcount.rsvp_values cascade',
        `create view headcount.rsvp_values as select account_id, 'default' as account, repeat('x', 17000000) as value, 1::bigint as responses, 'x' as meaning from headcount.events limit 1`,
      )
      // On a busy machine the size is found out late.
      const patient = await counted(stage, { timeoutMs: 60_000 })
      const large = await patient.make({ view: 'rsvp_values', format: 'csv' })
      const answer = await patient.get(large.path)
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
        413,
        { code: 'link_too_large', detail: expect.stringContaining('larger than 16 MiB') },
      ])
    })

    test.each([
      ['a view', { view: 'slots', format: 'csv' }],
      ['the report', { view: 'report', format: 'html' }],
    ] as const)(
      'while a table of it is locked %s is 503 after a while, and there as soon as it is free',
      async (_, link) => {
        await using stage = await clubStage(start)
        const { get, make } = await counted(stage)
        const { path } = await make(link)
        await using database = await connect(stage.url)
        const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const locking = database.transaction(async (trx) => {
          await trx.query('lock table headcount.slots in access exclusive mode')
          locked.resolve()
          await released.promise
        })
        await locked.promise
        const refused = await get(path)
        expect([refused.status, refused.headers['retry-after'], JSON.parse(refused.text)]).toMatchObject([
          503,
          '5',
          { code: 'not_ready' },
        ])
        released.resolve()
        await locking
        expect((await get(path)).status).toBe(200)
      },
    )

    test('anew when those of before are too old to stand in for what takes long', async () => {
      await using stage = await clubStage(start)
      await using opened = await connect(stage.url)
      let [clock, free] = [1, Promise.resolve()]
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const database: Database = {
        ...opened,
        kysely: opened.kysely,
        transaction: (work, options) => free.then(() => opened.transaction(work, options)),
      }
      const getBody = createLinkBodies(database, { now: () => clock })
      const account = { id: 1, name: 'default' }
      const content = { view: 'responses', format: 'csv', event_id: null, with_personal: true } as const
      const ask = () => getBody({ ...content, id: '1', version: '', account })
      const before = await ask()

      free = released
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const askLater = (ms: number) => {
        clock = ms
        const body = ask()
        vi.advanceTimersByTime(20_000)
        return body
      }
      expect(await askLater(7_200_001)).toBe(before)
      await expect(askLater(7_200_002)).rejects.toThrow('other links are made first')
      release()
      expect(await ask()).toMatchObject({ digest: before.digest })
    })

    test('not from a mirror that is older than it may be', async () => {
      await using stage = await clubStage(start)
      const { get, make } = await counted(stage)
      const { path } = await make({ view: 'events', format: 'csv' })
      expect((await get(path)).status).toBe(200)
      await stage.change(`update headcount.sync_runs set started_at = now() - interval '2 minutes'`)
      expect(await get(path)).toMatchObject({ status: 503, text: expect.stringContaining('"too_old"') })
    })
  })
})
