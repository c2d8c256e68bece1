/** A service that writes the key into its own lists: what is stored, told and served of it. */
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/databases/databases.ts'
import { testKey } from '../../support/http/reading.ts'
import { keyOf, serve } from '../../support/http/serving.ts'
import { verifyOn } from '../../support/runs/verify.ts'
import { startWire } from '../../support/http/wire.ts'

const text = `your key is ${testKey}.`
const events = [
  { id: 'gala', title: testKey, description: text, event_type: testKey, location: text, [testKey]: testKey },
  { id: 'ball', title: 'Ball' },
]
const gala = [
  { id: 1, name: testKey, email: text, message: text, rsvp: testKey, extra: { [testKey]: [testKey] } },
  { id: 2, slots: [{ name: testKey, extra: testKey }] },
  { id: 3, amount: testKey, created_at: testKey },
  { error: testKey },
]

/** As it is stored: the key is gone, and nothing else. */
function stored(value: unknown): unknown {
  const written = JSON.stringify(testKey).slice(1, -1)
  return JSON.parse(JSON.stringify(value).replaceAll(written, '[key removed]'))
}

describe.each(engines)('the key in the lists of the service (%s)', (engine) => {
  test.each([
    ['in memory', {}],
    ['from a file', { inMemoryBytes: 64, chunkBytes: 200 }],
  ])(
    'X2 X1 stands in no table, log, report or answer, and nothing else is changed: %s',
    async (_, limits) => {
      await using wire = await startWire(engine)
      wire.bodies.set('', JSON.stringify(events))
      wire.bodies.set('gala', JSON.stringify(gala))
      const first = await wire.sync(limits)
      expect(first).toMatchObject({ exit: 8, report: { rejected: 1 } })
      const warnings = first.report.warnings.filter((warning) => warning.includes('API key'))
      expect(warnings).toHaveLength(2)
      expect(warnings.every((warning) => warning.includes('make a new one'))).toBe(true)
      const look = await wire.look()
      const [ball, party] = look.rows('events')
      expect(party).toMatchObject({ title: '[key removed]', description: 'your key is [key removed].' })
      expect(ball).toMatchObject({ title: 'Ball', _extra: null })
      const answers = await verifyOn(wire, limits)
      expect(answers).toMatchObject({ differences_total: 0 })
      // What is stored is what a list is compared with: neither run writes it again.
      for (const run of [wire.sync, wire.backfill]) {
        const { report } = await run(limits)
        expect(report.rows.responses).toEqual({ inserted: 0, updated: 0, deleted: 0 })
      }
      await wire.look()
      await using served = await serve(wire.target)
      const headers = { 'X-API-Key': await keyOf(wire.target) }
      const list: unknown = await (await fetch(`${served.url}/events/gala/responses`, { headers })).json()
      expect(list).toEqual(stored(gala.slice(0, 3)))
    },
  )
})
