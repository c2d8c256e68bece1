/** Lists as a whole: bodies that are none, fields that go from every item, kinds that change. */
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/databases/databases.ts'
import { eventsText, startWire } from '../../support/http/wire.ts'
import type { Wire } from '../../support/http/wire.ts'

const broken: readonly (readonly [string, string])[] = [
  ['cut', '[{"id":1,"name":"Ann"}'],
  ['trailing', '[{"id":1}] []'],
  ['comma', '[{"id":1},]'],
  ['nan', '[{"id":1,"quantity":NaN}]'],
  ['comment', '[/* none */]'],
  ['single', "[{'id':1}]"],
  ['control', '[{"id":1,"name":"a\nb"}]'],
  ['octal', '[{"id":01}]'],
]

async function mirrored(wire: Wire, bodies: Readonly<Record<string, string>>): Promise<void> {
  for (const [id, body] of Object.entries(bodies)) wire.bodies.set(id, body)
  expect(await wire.sync()).toMatchObject({ exit: 0 })
}

describe.each(engines)('lists of a payload (%s)', (engine) => {
  test('P1 what is no complete JSON array fails its event; the rows are kept, the neighbour is stored', async () => {
    await using wire = await startWire(engine)
    const names = broken.map(([name]) => name)
    const was = Object.fromEntries(names.map((name) => [name, '[{"id":1,"name":"Ann"},{"id":2}]']))
    await mirrored(wire, { ...was, '': eventsText([...names, 'sound']), sound: '[{"id":1}]' })
    const before = await wire.look()

    for (const [name, body] of broken) wire.bodies.set(name, body)
    wire.bodies.set('sound', '[{"id":1},{"id":2}]')
    const { exit, status, report } = await wire.sync()
    expect({ exit, status }).toEqual({ exit: 6, status: 'partial' })
    expect(report.events).toMatchObject({ failed: broken.length, changed: 1 })
    expect(report.errors.map(({ code }) => code)).toEqual(names.map(() => 'contract'))
    expect(new Set(report.errors.map(({ event_id }) => event_id))).toEqual(new Set(names))
    const after = await wire.look()
    for (const name of names) {
      expect(after.rows('responses', name)).toEqual(before.rows('responses', name))
      const [state] = before.rows('sync_state', name)
      expect(after.rows('sync_state', name)).toMatchObject([
        { digest: state?.['digest'], error_code: 'contract' },
      ])
    }
    expect(after.rows('responses', 'sound')).toHaveLength(2)
    // Bodies hold personal data: an error tells the place, not what stands there.
    expect(JSON.stringify(report)).not.toContain('Ann')

    await mirrored(wire, was)
    const mended = await wire.look()
    expect(mended.rows('responses')).toEqual(after.rows('responses'))
    expect(mended.rows('sync_state').filter(({ error_code }) => error_code !== null)).toEqual([])
  })

  test('P1 an event list that is none ends the run with exit 7, and everything is kept', async () => {
    await using wire = await startWire(engine)
    await mirrored(wire, { '': eventsText(['gala', 'ball']), gala: '[{"id":1}]', ball: '[{"id":1}]' })
    const before = await wire.look()
    wire.bodies.set('gala', '[]')
    for (const body of ['[{"id":"gala"}', '[{"id":"gala"}]}']) {
      wire.bodies.set('', body)
      expect(await wire.sync()).toMatchObject({ exit: 7, status: 'failed', error: { code: 'contract' } })
    }
    const after = await wire.look()
    for (const table of ['events', 'responses', 'event_history', 'response_history', 'sync_state'] as const)
      expect(after.rows(table)).toEqual(before.rows(table))
  })

  test('P13 a known field missing from every item that had it: applied as absent, with a warning', async () => {
    await using wire = await startWire(engine)
    const slot = '{"name":"Bar","start_date":"2026-05-01T20:00:00+02:00"}'
    await mirrored(wire, {
      '': '[{"id":"a","title":"A","location":"Hall"},{"id":"b","location":"Barn"},{"id":"c"},{"id":"d"}]',
      a: '[{"id":1,"name":"Ann","email":"a@example.org"},{"id":2,"name":"Ben"}]',
      b: '[{"id":1,"amount":"1.00","processing_fee":"0.10"},{"id":2,"amount":"2.00","name":"Eve"}]',
      c: `[{"id":1,"amount":"1.00","slots":[${slot}]},{"id":2}]`,
      d: `[{"id":1,"slots":[${slot}]},{"id":2,"slots":[]}]`,
    })
    wire.bodies.set('', '[{"id":"a","title":"A"},{"id":"b","location":null},{"id":"c"},{"id":"d"}]')
    wire.bodies.set('a', '[{"id":1,"name":"Ann"},{"id":2,"name":"Ben","email":null}]')
    wire.bodies.set('b', '[{"id":1,"amount":"1.00"},{"id":2,"amount":"2.00"}]')
    wire.bodies.set('c', '[{"id":1,"amount":"1.00"},{"id":2}]')
    wire.bodies.set('d', '[{"id":1,"slots":[{"name":"Bar"}]},{"id":2,"slots":[]}]')
    const { exit, report } = await wire.sync()
    expect({ exit, set_aside: report.set_aside }).toEqual({ exit: 0, set_aside: 0 })
    const gone = (list: string, what: string, field: string) =>
      `${list}: no ${what} has "${field}" any more; its column is now empty.`
    expect(report.warnings.toSorted()).toEqual([
      gone('Event a', 'response', 'email'),
      gone('Event b', 'response', 'name'),
      gone('Event b', 'response', 'processing_fee'),
      gone('Event c', 'response', 'slots'),
      gone('Event d', 'response', 'slots.start_date'),
      gone('The event list', 'event', 'location'),
    ])
    const look = await wire.look()
    expect(look.rows('events').map(({ location }) => location)).toEqual([null, null, null, null])
    expect(look.rows('responses', 'a').map(({ email }) => email)).toEqual([null, null])
    expect(look.rows('payments', 'b').map(({ processing_fee }) => processing_fee)).toEqual([null, null])
    expect(look.rows('slots')).toMatchObject([{ event_id: 'd', start_date: null, start_local: null }])
    expect(look.rows('response_history', 'a')).toMatchObject([{ document: { email: 'a@example.org' } }])

    expect((await wire.sync()).report.warnings).toEqual([])
  })

  test('P19 a kind that changes: its payment and slots come and go, and history keeps them', async () => {
    await using wire = await startWire(engine)
    const payment = '"amount":"5.00","processing_fee":"0.40"'
    const slots = '"slots":[{"name":"Bar","start_date":"2026-05-01T20:00:00+02:00"}]'
    const kinds = [`"rsvp":"yes"`, payment, slots, `${payment},${slots}`, '"message":"hello"']
    const turns = kinds.length
    await mirrored(wire, { '': eventsText(['gala']) })
    for (let turn = 0; turn < turns; turn += 1) {
      const items = kinds.map((_, at) => `{"id":${at + 1},${kinds[(at + turn) % turns]}}`)
      await mirrored(wire, { gala: `[${items.join(',')}]` })
    }
    const look = await wire.look()
    // In the last turn the kinds have moved by four places.
    expect(look.rows('responses').map(({ kind }) => kind)).toEqual([
      'bare',
      'reply',
      'payment',
      'signup',
      'mixed',
    ])
    expect(look.rows('payments').map(({ response_id }) => response_id)).toEqual(['3', '5'])
    expect(look.rows('slots').map(({ response_id }) => response_id)).toEqual(['4', '5'])
    const history = Map.groupBy(look.rows('response_history'), ({ response_id }) => String(response_id))
    for (const [id, versions] of history) {
      const wanted = versions.map(
        (_, turn) => JSON.parse(`{${kinds[(Number(id) - 1 + turn) % turns]}}`) as object,
      )
      expect(versions).toMatchObject(wanted.map((document) => ({ operation: 'update', document })))
      expect(versions).toHaveLength(turns - 1)
    }
    expect(history.size).toBe(turns)
  })
})
