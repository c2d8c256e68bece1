/** Every answer of the service is what its document says: of both stores, of every status. */
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { openApi } from '../../../src/server/openapi/document.ts'
import { EVENT_FIELDS, RESPONSE_FIELDS, SLOT_FIELDS } from '../../../src/common/schema/field-names.ts'
import { createSampleAccount } from '../../../src/commands/demo/account/account.ts'
import type { Store } from '../../../src/server/stores/store.ts'
import { UnavailableError } from '../../../src/server/problems.ts'
import { complaintsOf, expectConforms } from '../../support/http/conforming.ts'
import { fromSchemas } from '../../support/accounts/from-schema.ts'
import { eventEntries, objectText, responseEntries } from '../../support/accounts/item-texts.ts'
import { eventsIn, responsesIn } from '../../support/accounts/normalising.ts'
import { listening } from '../../support/http/http-service.ts'
import { exchange } from '../../support/http/raw-http.ts'
import { keyOf, serve, serveAccount } from '../../support/http/serving.ts'
import { trickyTexts } from '../../support/accounts/tricky-texts.ts'
import { startWire } from '../../support/http/wire.ts'

interface Asked {
  readonly url: string
  readonly apiKey: string
}

/** What comes back, once it was held against the document. Not by `fetch`, which asks anew whatever is not modified. */
async function ask({ url, apiKey }: Asked, path: string, { method = 'GET', headers = {} } = {}) {
  const { origin, pathname } = new URL(url)
  const answer = await request(`${origin}${pathname}${path}`, {
    method,
    headers: { 'X-API-Key': apiKey, ...headers },
  })
  const body = Buffer.from(await answer.body.arrayBuffer())
  const isGzip = answer.headers['content-encoding'] === 'gzip' && body.length > 0
  const answered = {
    method,
    path: `${pathname}${path}`,
    status: answer.statusCode,
    headers: answer.headers,
    text: String(isGzip ? gunzipSync(body) : body),
  }
  expectConforms(answered)
  return answered
}

/** Every endpoint in every way that the document knows; `ids` are of events. */
async function askAll(asked: Asked, ids: readonly string[]): Promise<void> {
  const lists = ['/events', ...ids.map((id) => `/events/${encodeURIComponent(id)}/responses`)]
  for (const path of ['/ping', ...lists]) expect((await ask(asked, path)).status).toBe(200)
  for (const path of ['/ping', ...lists.slice(0, 3)])
    expect((await ask(asked, path, { method: 'HEAD' })).status).toBe(200)
  for (const path of lists.slice(0, 3)) {
    const { headers } = await ask(asked, path, { headers: { 'Accept-Encoding': 'gzip' } })
    const known = { 'If-None-Match': String(headers['etag']), 'Accept-Encoding': 'gzip' }
    for (const method of ['GET', 'HEAD'])
      expect((await ask(asked, path, { method, headers: known })).status).toBe(304)
    const { headers: first } = await ask(asked, `${path}?limit=1`)
    const [, next] = /^<(.*)>; rel="next"$/.exec(String(first['link'])) ?? []
    if (next !== undefined) expect((await ask(asked, path + next)).status).toBe(200)
    for (const query of ['limit=0', 'limit=', 'limit=1&limit=1', 'limit=10001', 'after=1&after=2'])
      for (const method of ['GET', 'HEAD'])
        expect((await ask(asked, `${path}?${query}`, { method })).status).toBe(400)
  }
}

/** `after` may be any text, and need not be an id, but for one that no id can be. */
async function askAfter(asked: Asked): Promise<void> {
  const { text: all } = await ask(asked, '/events')
  expect((await ask(asked, '/events?after=')).text).toBe(all)
  expect((await ask(asked, `/events?after=${'\u{10FFFF}'.repeat(3)}`)).text).toBe('[]')
  for (const bad of ['%00', 'a%00b']) expect((await ask(asked, `/events?after=${bad}`)).status).toBe(400)
}

async function askForErrors(asked: Asked): Promise<void> {
  const paths = ['/ping', '/events', '/events/a/responses', '/nothing', '/events/', '/events/a']
  const statuses: Record<string, number> = {}
  for (const path of paths) {
    for (const apiKey of ['', 'hc_wrong']) expect((await ask({ ...asked, apiKey }, path)).status).toBe(401)
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])
      statuses[`${method} ${path}`] = (await ask(asked, path, { method })).status
    expect((await ask(asked, `${path}?${'x'.repeat(9000)}`)).status).toBe(414)
    expect((await ask(asked, path, { headers: { 'X-Much': 'x'.repeat(20_000) } })).status).toBe(431)
  }
  expect(statuses).toMatchObject({
    'POST /ping': 405,
    'DELETE /events': 405,
    'OPTIONS /events/a/responses': 405,
    'GET /events/a/responses': 404,
    'HEAD /events/a/responses': 404,
    'POST /nothing': 404,
    'GET /events/': 404,
  })
}

const ours = fromSchemas(openApi().components.schemas)

/** So many items of both sources that are stored whole: what a careless service sends, and what ours may. */
function draw(name: 'Event' | 'Response', count: number, normalise: Normalise): readonly string[] {
  const wild = (name === 'Event' ? eventEntries : responseEntries).map(objectText)
  const own = ours(name).map((item) => JSON.stringify(item))
  return fc.sample(
    fc.oneof(wild, own).filter((text) => isStoredWhole(text, normalise)),
    count,
  )
}

type Normalise = (body: string) => { readonly setAside: number; readonly rows: readonly unknown[] }

function isStoredWhole(item: string, normalise: Normalise): boolean {
  const { setAside, rows } = normalise(`[${item}]`)
  return setAside === 0 && rows.length === 1
}

/** An item for each tricky text, which stands in every field that is stored with it. */
function trickyItems(
  fields: readonly string[],
  normalise: Normalise,
  itemOf: (place: number, text: string, fields: object) => object,
): readonly string[] {
  return trickyTexts.flatMap((text, place) => {
    const kept = fields.filter((field) =>
      isStoredWhole(JSON.stringify(itemOf(place, 'x', { [field]: text })), normalise),
    )
    const item = itemOf(place, text, Object.fromEntries(kept.map((field) => [field, text])))
    return isStoredWhole(JSON.stringify(item), normalise) ? [JSON.stringify(item)] : []
  })
}

const trickyEvents = () =>
  trickyItems(EVENT_FIELDS.slice(1), eventsIn, (_, id, fields) => ({ id, ...fields }))

const trickyResponses = () => [
  ...trickyItems(RESPONSE_FIELDS.slice(1), responsesIn, (place, _, fields) => ({ id: place, ...fields })),
  ...trickyItems(SLOT_FIELDS, responsesIn, (place, _, slot) => ({ id: 1000 + place, slots: [slot] })),
]

describe('conforms to the document', () => {
  test('what is answered from a mirror of all that can be mirrored', async () => {
    const events = [...trickyEvents(), ...draw('Event', 10, eventsIn)]
    const ids = eventsIn(`[${events.join(',')}]`).rows.map(({ id }) => id)
    await using wire = await startWire('postgres')
    wire.bodies.set('', `[${events.join(',')}]`)
    const drawn = draw('Response', 200, responsesIn)
    const lists = [trickyResponses(), ...ids.map((_, place) => drawn.slice(10 * place, 10 * place + 10))]
    for (const [place, id] of ids.entries()) wire.bodies.set(id, `[${lists[place]?.join(',')}]`)
    const { report } = await wire.sync()
    expect(report).toMatchObject({ status: 'succeeded', set_aside: 0, rejected: 0 })
    await using serving = await serve(wire.target)
    const asked = { url: serving.url, apiKey: await keyOf(wire.target) }
    await askAll(asked, ids)
    await askAfter(asked)
    await askForErrors(asked)
    expect(serving.errors).toEqual([])
  })

  test('that the database fails while a list is read', async () => {
    await using wire = await startWire('postgres')
    wire.bodies.set('', '[{"id":"gala"}]')
    await wire.sync()
    await using serving = await serve(wire.target)
    const asked = { url: serving.url, apiKey: await keyOf(wire.target) }
    await using database = await connect(wire.target)
    await database.transaction((trx) => trx.query('alter table headcount.slots rename to away'))
    const { status, text } = await ask(asked, '/events/gala/responses')
    expect({ status, code: JSON.parse(text).code }).toEqual({ status: 503, code: 'not_ready' })
    expect(serving.errors).toHaveLength(1)
  })

  test('what is answered from the sample account, but for the values that show what the specification leaves open', async () => {
    const account = createSampleAccount({ seed: 1, now: new Date('2026-06-17T10:00:00Z') })
    const complaints = [
      ...complaintsOf('/api/v1/events', account.events()),
      ...account
        .events()
        .flatMap(({ id }) => complaintsOf(`/api/v1/events/${id}/responses`, account.responses(id))),
    ]
    expect(complaints.map((complaint) => complaint.replace(/^\/\d+/, '')).toSorted()).toEqual([
      '/amount must be string',
      '/location must be string',
      '/message must be string',
      '/quantity must be integer',
    ])
    const recent = account.events().slice(-20)
    const served = {
      email: account.email,
      events: () => recent,
      responses: (id: string) => account.responses(id),
    }
    const apiKey = 'sample-key'
    await using service = await serveAccount(served, apiKey)
    await askAll(
      { url: service.url, apiKey },
      recent.map(({ id }) => id),
    )
    await askForErrors({ url: service.url, apiKey })
  })

  test('bytes that are no request', async () => {
    await using service = await serveAccount(empty, 'any')
    const { port } = new URL(service.url)
    for (const bytes of ['GET /api/v1/ping HTTP/1.1\r\n\r\n', 'what?\r\n\r\n']) {
      const answers = await exchange(Number(port), bytes)
      expect(answers).toMatchObject([{ status: 400 }])
      for (const { body: text, ...answer } of answers)
        expectConforms({ method: 'GET', path: '/api/v1/ping', ...answer, text })
    }
  })

  test.each([
    [500, new Error('broken')],
    [503, new UnavailableError('not_ready', 5, 'later')],
    [503, new UnavailableError('not_mirrored', 60, 'later')],
    [503, new UnavailableError('too_old', 60, 'later')],
  ])('that nothing can be answered: %i, %s', async (status, error) => {
    const fail = () => Promise.reject(error)
    const store: Store = { resolve: fail, requireReady: fail, close: async () => {} }
    const { url } = await listening(store)
    for (const path of ['/ping', '/events', '/events/a/responses', '/nothing'])
      for (const method of ['GET', 'HEAD', 'PUT'])
        expect((await ask({ url, apiKey: 'any' }, path, { method })).status).toBe(status)
  })
})

const empty = { email: 'owner@example.org', events: () => [], responses: () => undefined }
