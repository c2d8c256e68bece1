/** No title, quantity, amount or time that a service may send breaks a view. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { readSchemaDescription } from '../../../src/mirror/query/describe-schema.ts'
import { engines } from '../../support/databases/databases.ts'
import { startWire } from '../../support/http/wire.ts'
import { readViews } from '../../support/views/read-views.ts'

const MOST = '9223372036854775807'
const first = '0001-01-01T00:00:00Z'
const last = '9999-12-31T23:59:59.999999Z'

/** The text of a list; quantities are written as numbers, whatever their size. */
const listText = (items: readonly object[]) => JSON.stringify(items).replaceAll(`"${MOST}"`, MOST)

const response = (id: number, created_at: string, more: object = {}) => ({
  id,
  name: `'; drop schema headcount; --`,
  email: `${'x'.repeat(1500)}@example.org`,
  message: '\u202e\u0007%s {0}',
  quantity: MOST,
  rsvp: 'yes',
  created_at,
  amount: `${'9'.repeat(300)}.${'9'.repeat(300)}`,
  slots: [
    {
      name: `"${'slot '.repeat(2000)}`,
      start_date: '0001-01-02T00:00:00+14:00',
      end_date: '9999-12-30T23:59:59-12:00',
    },
    { name: null, start_date: null },
  ],
  ...more,
})

describe.each(engines)('the views (%s)', (engine) => {
  test.each(engine === 'postgres' ? ['UTC', 'Pacific/Kiritimati', 'America/Anchorage'] : ['UTC'])(
    'hold what is at the ends of the calendar and of numbers, in %s',
    async (timeZone) => {
      await using wire = await startWire(engine)
      await using database = await connect(wire.target)
      const events = [
        { id: 'first', title: `${'long '.repeat(20_000)}1`, event_at: first },
        { id: 'last', title: `${'long '.repeat(20_000)}2`, event_at: last },
        { id: 'none' },
      ]
      wire.bodies.set('', JSON.stringify(events))
      for (const step of [0, 1]) {
        for (const id of ['first', 'last'])
          wire.bodies.set(
            id,
            listText([
              response(1, first),
              response(2, last),
              ...(step === 0 ? [response(3, last, { quantity: -5 })] : []),
            ]),
          )
        const { error } = await wire.sync({ all: true, acceptDeletions: true })
        expect(error).toBeNull()
      }
      const { views } = await database.transaction(readSchemaDescription, { readOnly: true })
      const { rows } = await readViews(
        database,
        views.map(({ name }) => name),
        { 'headcount.time_zone': timeZone },
      )
      const summary = rows.get('event_summary')?.find(({ event_id }) => event_id === 'last')
      expect(summary).toMatchObject({
        responses: '2',
        coming: '18446744073709551614',
        expected: '18446744073709551614',
      })
      expect(rows.get('event_respondents')).toHaveLength(2)
      expect(rows.get('similar_events')).toMatchObject([
        { event_id: 'last', similar_event_id: 'first', rank: 1 },
      ])
      expect(rows.get('event_summary')?.find(({ event_id }) => event_id === 'none')).toMatchObject({
        event_day: null,
        days_until: null,
        responses: '0',
        expected: '0',
        amount: null,
        amount_after_fee: null,
      })
    },
  )

  test('a zone that is none is an error that names it', async () => {
    await using wire = await startWire(engine)
    await using database = await connect(wire.target)
    wire.bodies.set('', '[{"id":"gala","event_at":"2026-12-24T18:00:00Z"}]')
    await wire.sync()
    await expect(
      readViews(database, ['event_summary'], { 'headcount.time_zone': 'Atlantis' }),
    ).rejects.toThrow(/time zone "Atlantis" not recognized/)
  })
})
