/** What a change is, row by row: what is written, what is counted, what history keeps, what is left alone. */
import { beforeAll, describe, expect, test } from 'vitest'
import { engines } from '../../../support/databases/databases.ts'
import { startWire } from '../../../support/http/wire.ts'
import type { Look, Row } from '../../../support/http/wire.ts'
import type { Ended } from '../../../support/runs/stage.ts'

const bar = { name: 'Bar', start_date: '2026-05-01T20:00:00+02:00' }
const door = { name: 'Door', start_date: '2026-05-01T18:00:00+02:00' }

/** Each response before and after, and the rows that this writes: updates unless said otherwise. */
const changes: readonly (readonly [string, object, object, Partial<Written>])[] = [
  ['a slot alone', { slots: [bar] }, { slots: [{ ...bar, name: 'Bar 2' }] }, { slots: { updated: 1 } }],
  ['only the offset of a slot', { slots: [bar] }, { slots: [atUtc(bar)] }, { slots: { updated: 1 } }],
  [
    'only what is unknown in a slot',
    { slots: [bar] },
    { slots: [{ ...bar, shift: 1 }] },
    { slots: { updated: 1 } },
  ],
  ['slots in another order', { slots: [bar, door] }, { slots: [door, bar] }, { slots: { updated: 2 } }],
  ['a slot more', { slots: [bar] }, { slots: [bar, door] }, { slots: { inserted: 1 } }],
  ['the first slot gone', { slots: [bar, door] }, { slots: [door] }, { slots: { updated: 1, deleted: 1 } }],
  ['a payment alone', { amount: '12.50' }, { amount: '12.60' }, { payments: { updated: 1 } }],
  ['12.5 becomes 12.50', { amount: '12.5' }, { amount: '12.50' }, { payments: { updated: 1 } }],
  [
    'a fee more',
    { amount: '1.00' },
    { amount: '1.00', processing_fee: '0.10' },
    { payments: { updated: 1 } },
  ],
  ['a payment comes', {}, { amount: '1.00' }, { payments: { inserted: 1 } }],
  ['a payment goes', { amount: '1.00' }, {}, { payments: { deleted: 1 } }],
  ['only _extra', { seat: 1 }, { seat: 2 }, {}],
  ['a value that is set aside', { quantity: 'two' }, { quantity: 'three' }, {}],
  ['a text', { name: 'Ann' }, { name: 'Anne' }, {}],
  ['a text that goes', { name: 'Ann' }, { name: null }, {}],
  [
    'a microsecond',
    { created_at: '2026-01-01T00:00:00.000001Z' },
    { created_at: '2026-01-01T00:00:00Z' },
    {},
  ],
  ['no slots instead of none said', {}, { slots: [] }, {}],
]

/** Other words for the same. */
const sames: readonly (readonly [string, object, object])[] = [
  ['the order of keys', { name: 'Ann', email: 'a@example.org' }, { email: 'a@example.org', name: 'Ann' }],
  ['null for absent', { name: 'Ann' }, { name: 'Ann', message: null }],
  [
    'an instant in another zone',
    { created_at: '2026-01-01T00:00:00Z' },
    { created_at: '2026-01-01T02:00:00+02:00' },
  ],
  [
    'zeros behind a second',
    { created_at: '2026-01-01T00:00:00Z' },
    { created_at: '2026-01-01T00:00:00.000Z' },
  ],
  ['an integer as text', { quantity: 2 }, { quantity: '2' }],
  ['an amount as number', { amount: '3' }, { amount: 3 }],
  [
    '+00:00 and Z in a slot',
    { slots: [{ start_date: '2026-01-01T00:00:00+00:00' }] },
    { slots: [{ start_date: '2026-01-01T00:00:00Z' }] },
  ],
  ['_extra in another order', { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }],
]

interface Written {
  readonly payments: Partial<Counts>
  readonly slots: Partial<Counts>
}
type Counts = Record<'inserted' | 'updated' | 'deleted', number>

function atUtc(slot: typeof bar): object {
  return { ...slot, start_date: new Date(slot.start_date).toISOString() }
}

function total(table: keyof Written): Counts {
  const sum = (kind: keyof Counts) =>
    changes.reduce((all, [, , , written]) => all + (written[table]?.[kind] ?? 0), 0)
  return { inserted: sum('inserted'), updated: sum('updated'), deleted: sum('deleted') }
}

const firstSame = changes.length + 1
const before = [...changes, ...sames].map(([, item], at) => ({ id: at + 1, ...item }))
const after = [...changes, ...sames].map(([, , item], at) => ({ id: at + 1, ...item }))

describe.each(engines)('what a change is (%s)', (engine) => {
  let looks: { first: Look; second: Look; third: Look }
  let second: Ended
  beforeAll(async () => {
    await using wire = await startWire(engine)
    wire.bodies.set('', '[{"id":"gala","title":"A"},{"id":"ball"}]')
    wire.bodies.set('gala', JSON.stringify(before))
    await wire.sync()
    const first = await wire.look()
    wire.bodies.set('gala', JSON.stringify(after))
    second = await wire.sync()
    const looked = await wire.look()
    wire.bodies.set('', '[{"id":"gala","title":"B"},{"id":"ball"}]')
    wire.bodies.set('gala', JSON.stringify(after.slice(1)))
    await wire.sync()
    looks = { first, second: looked, third: await wire.look() }
  })

  const byId = (rows: readonly Row[], id: number) =>
    rows.find((row) => Number(row['id'] ?? row['response_id']) === id)

  test.each(changes.map(([name, item], at) => [name, at + 1, item] as const))(
    '%s: an update of its response, whose former version is kept whole',
    (_, id, item) => {
      const [was, is] = [looks.first, looks.second].map((look) => byId(look.rows('responses'), id))
      expect(is?.['_first_seen_at']).toBe(was?.['_first_seen_at'])
      expect(String(is?.['_changed_at']) > String(was?.['_changed_at'])).toBe(true)
      expect(is?.['_run_id']).toBe('2')
      const versions = looks.second
        .rows('response_history')
        .filter(({ response_id }) => Number(response_id) === id)
      expect(versions).toMatchObject([
        {
          operation: 'update',
          valid_from: was?.['_changed_at'],
          valid_to: is?.['_changed_at'],
          ended_by_run_id: '2',
          document: item,
        },
      ])
    },
  )

  test.each(sames.map(([name], at) => [name, firstSame + at] as const))('%s: no change', (_, id) => {
    const [was, is] = [looks.first, looks.second].map((look) => byId(look.rows('responses'), id))
    expect(is).toEqual(was)
    expect(byId(looks.third.rows('response_history'), id)).toBeUndefined()
  })

  test('each table counts its own rows, a response once whatever changed in it', () => {
    const none = { inserted: 0, updated: 0, deleted: 0 }
    expect(second.report.rows).toEqual({
      events: none,
      responses: { ...none, updated: changes.length },
      payments: total('payments'),
      slots: total('slots'),
    })
    expect(second.report.events).toMatchObject({ due: 2, changed: 1, unchanged: 1 })
  })

  test('slots keep the order in which they are sent', () => {
    const at = changes.findIndex(([name]) => name === 'slots in another order') + 1
    const slots = looks.second.rows('slots').filter(({ response_id }) => Number(response_id) === at)
    expect(slots.map(({ position, name }) => [position, name])).toEqual([
      [1, 'Door'],
      [2, 'Bar'],
    ])
  })

  test('a deletion and a changed record end their versions at one moment; the responses beside it stay', () => {
    const { second: was, third: is } = looks
    const [deleted] = is.rows('response_history').filter(({ operation }) => operation === 'delete')
    expect(deleted).toMatchObject({
      response_id: '1',
      valid_from: byId(was.rows('responses'), 1)?.['_changed_at'],
      document: { id: 1, slots: [{ name: 'Bar 2' }] },
    })
    expect(is.rows('event_history')).toMatchObject([
      {
        event_id: 'gala',
        operation: 'update',
        document: { id: 'gala', title: 'A' },
        valid_to: deleted?.['valid_to'],
      },
    ])
    expect(is.rows('events', 'gala')).toMatchObject([{ title: 'B', _changed_at: deleted?.['valid_to'] }])
    expect(is.rows('events', 'ball')).toEqual(was.rows('events', 'ball'))
    expect(is.rows('responses')).toEqual(was.rows('responses').slice(1))
  })
})

describe.each(engines)('a row that someone changed by hand (%s)', (engine) => {
  test('is mended by a backfill, and what stood there is in history', async () => {
    await using wire = await startWire(engine)
    wire.bodies.set('', '[{"id":"gala"}]')
    wire.bodies.set('gala', JSON.stringify([{ id: 1, amount: '1.00' }, { id: 2, slots: [bar] }, { id: 3 }]))
    await wire.sync()
    const before = await wire.look()
    await wire.change(
      `update headcount.payments set amount = 2`,
      `delete from headcount.slots`,
      `delete from headcount.responses where id = 3`,
    )
    expect(await wire.backfill()).toMatchObject({
      exit: 0,
      report: {
        rows: { responses: { inserted: 1, updated: 2 }, payments: { updated: 1 }, slots: { inserted: 1 } },
      },
    })
    const after = await wire.look()
    for (const table of ['payments', 'slots'] as const) expect(after.rows(table)).toEqual(before.rows(table))
    expect(after.rows('response_history')).toMatchObject([
      { document: { amount: '2' } },
      { document: { id: 2 } },
    ])
  })
})
