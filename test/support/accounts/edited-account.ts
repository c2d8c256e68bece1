/** An account that is edited step by step: items of every kind, mended and broken, that change, go and come back. */
import fc from 'fast-check'
import { createRandom } from '../../../src/commands/demo/account/random.ts'
import type { Random } from '../../../src/commands/demo/account/random.ts'
import { eventEntries, objectText, responseEntries } from './item-texts.ts'
import type { Entries } from './item-texts.ts'

/** Fields at the edge between what a column holds and what is set aside. */
const edges: Entries = [
  ['quantity', '1.5'],
  ['quantity', '9223372036854775807'],
  ['quantity', '-9223372036854775808'],
  ['quantity', '-9223372036854775809'],
  ['quantity', '"17"'],
  ['quantity', '"017"'],
  ['amount', `"${'9'.repeat(131_073)}"`],
  ['amount', `"-00${'9'.repeat(40)}.50"`],
  ['amount', `"0.${'1'.repeat(16_384)}"`],
  ['amount', '1e2'],
  ['amount', '"1e2"'],
  ['amount', '"NaN"'],
  ['processing_fee', '{"net":1.50}'],
  ['created_at', '"2024-02-29T00:00:00Z"'],
  ['created_at', '"2023-02-29T00:00:00Z"'],
  ['created_at', '"1900-02-29T00:00:00Z"'],
  ['created_at', '"2000-02-29T23:59:59.999999Z"'],
  ['created_at', '"2024-04-31T00:00:00Z"'],
  ['created_at', '"0000-01-01T00:00:00Z"'],
  ['created_at', '"0001-01-01T00:00:00Z"'],
  ['created_at', '"٢٠٢٤-01-01T00:00:00Z"'],
  ['created_at', '"2024-01-01T24:00:00Z"'],
  ['updated_at', '"2024-01-01T00:00:00Z\\n"'],
  ['updated_at', '"2024-01-01T00:00:00.1234567Z"'],
  ['updated_at', '"infinity"'],
  ['rsvp', '7'],
  ['name', '{"first":"Ann"}'],
  ['slots', '[]'],
  ['slots', '{}'],
  ['slots', '"none"'],
  ['slots', '[[{}]]'],
  ['slots', '[{"name":"Bar"},5]'],
  ['slots', '[{"name":7,"start_date":"2026-05-01T20:00:00","shift":null},{}]'],
  ['slots', '[{"start_date":"0001-01-01T00:30:00+01:00","end_date":"9999-12-31T23:30:00-01:00"}]'],
  ['slots', '[{"start_date":"0001-01-01T00:30:00-01:00","end_date":"9999-12-31T23:30:00+01:00"}]'],
  ['slots', '[{"start_date":"2026-05-01T20:00:00+15:59","end_date":"2026-05-01T20:00:00+16:00"}]'],
  ['slots', '[{"start_date":"2026-05-01T20:00:00.5-00:00","end_date":"2026-02-29T20:00:00+02:00"}]'],
  ['seat', 'null'],
  ['seat', '1.50'],
]

const ids = [1, 2, 3, 4, 5, 6]

/** The event list under ``, and the responses to each of them, as texts. */
export function editedAccount(seed: string, steps: number): ReadonlyMap<string, string>[] {
  const random = createRandom(seed)
  let drawnEdges = 0
  const drawn = (arbitrary: fc.Arbitrary<Entries>) =>
    random.pick(fc.sample(arbitrary, { seed: random.integer(0, 1e9), numRuns: 3 }))
  const without = (entries: Entries, key: string) => entries.filter(([name]) => name !== key)
  const event = (id: string) =>
    objectText([['id', JSON.stringify(id)], ...without(drawn(eventEntries), 'id')])
  const response = (id: number) => {
    const entries = without(drawn(responseEntries), 'id')
    const edge = edges[(drawnEdges += 1) % edges.length] ?? ['seat', '1']
    return objectText([['id', String(id)], edge, ...without(entries, edge[0])])
  }
  const events = new Map(['ball', 'gala', "l'été"].map((id) => [id, event(id)]))
  const responses = new Map([...events.keys()].map((id) => [id, new Map(ids.map((n) => [n, response(n)]))]))
  return Array.from({ length: steps }, (_, step) => {
    const account = new Map<string, string>()
    const gone = step > 0 && random.chance(0.3) ? random.pick([...events.keys()]) : null
    for (const [id, list] of responses) {
      if (random.chance(0.4)) events.set(id, event(id))
      for (const n of ids) if (random.chance(0.4)) list.set(n, response(n))
      if (id !== gone) account.set(id, `[${served(list, random).join(',')}]`)
    }
    const listed = [...events].filter(([id]) => id !== gone).map(([, text]) => text)
    return account.set('', `[${listed.join(',')}]`)
  })
}

/** All but a few, which are gone this time and may be back the next. */
function served(list: ReadonlyMap<number, string>, random: Random): string[] {
  return [...list.values()].filter(() => random.chance(0.8))
}
