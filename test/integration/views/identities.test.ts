/** What the views say of one another, after every step of a drawn history. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { engines } from '../../support/databases/databases.ts'
import { startWire, type Wire } from '../../support/http/wire.ts'
import { drawnAccount } from '../../support/views/drawn-account.ts'
import { readViews, type Row } from '../../support/views/read-views.ts'

const views = [
  'event_summary',
  'event_respondents',
  'payment_summary',
  'payments_by_month',
  'response_pace',
  'changes',
  'events',
  'response_documents',
]

export async function mirror(wire: Wire, bodies: ReadonlyMap<string, string>, account = 'default') {
  wire.bodies.clear()
  for (const [id, body] of bodies) wire.bodies.set(id, body)
  const { error } = await wire.sync({ all: true, acceptDeletions: true, account })
  expect(error).toBeNull()
}

/** The exact sum of a column, in millionths of a millionth. */
const sum = (rows: readonly Row[], column: string) =>
  rows.reduce((total, row) => total + scaled(typeof row[column] === 'string' ? row[column] : '0'), 0n)

function scaled(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(12, '0'))
}

describe.each(engines)('the views of a drawn history (%s)', (engine) => {
  test('agree with one another after every step', async () => {
    await using wire = await startWire(engine)
    await using database = await connect(wire.target)
    for (const bodies of drawnAccount(7, 5, Date.now())) {
      await mirror(wire, bodies)
      const { rows } = await readViews(database, views)
      const of = (name: string) => rows.get(name) ?? []
      for (const event of of('event_summary')) {
        const respondents = of('event_respondents').filter(({ event_id }) => event_id === event['event_id'])
        expect(respondents).toHaveLength(Number(event['respondents']))
        expect(sum(respondents, 'expected')).toBe(sum([event], 'expected'))
        const pace = of('response_pace').filter(({ event_id }) => event_id === event['event_id'])
        const last = pace.toSorted((a, b) => String(a['day']).localeCompare(String(b['day']))).at(-1)
        expect([last?.['people_so_far'] ?? '0', last?.['responses_so_far'] ?? '0']).toEqual([
          event['people'],
          event['responses'],
        ])
      }
      for (const column of [
        'payments',
        'without_amount',
        'negative',
        'amount',
        'processing_fee',
        'amount_after_fee',
      ])
        expect(sum(of('payment_summary'), column), column).toBe(sum(of('payments_by_month'), column))
      expect(replayed(of('changes'))).toEqual(
        new Map(
          of('response_documents')
            .map((row) => [keyOf(row), row['document']] as const)
            .toSorted(([a], [b]) => a.localeCompare(b)),
        ),
      )
    }
  })
})

const keyOf = (row: Row) => JSON.stringify([row['event_id'], row['response_id']])

/** The responses after all changes were applied in order to nothing. */
function replayed(changes: readonly Row[]) {
  const order = (row: Row) => [Number(row['run_id']), String(row['changed_at'])] as const
  const items = new Map<string, unknown>()
  const sorted = changes
    .filter(({ entity }) => entity === 'response')
    .toSorted((a, b) => order(a)[0] - order(b)[0] || order(a)[1].localeCompare(order(b)[1]))
  for (const row of sorted) {
    if (row['change'] === 'delete') items.delete(keyOf(row))
    else items.set(keyOf(row), row['record'])
  }
  return new Map([...items].toSorted(([a], [b]) => a.localeCompare(b)))
}
