/** Random accounts as texts of the wire, for property tests; and what a mirror of them must hold. */
import fc from 'fast-check'
import { isObject, parseWithSource } from '../../../src/common/json/exact.ts'
import type { JsonValue } from '../../../src/common/json/exact.ts'
import { anyItem, eventEntries, objectText, responseEntries } from './item-texts.ts'
import { hasFlaw, idOf, toMicroseconds, isTooDeep, meaningOf } from './wire-item.ts'
import type { Kind } from './wire-item.ts'

/** The items of the event list, and of the responses to each by its id, as their source texts. */
export interface AccountTexts {
  readonly events: readonly string[]
  readonly lists: ReadonlyMap<string, readonly string[]>
}

type Entry = readonly [id: string, event: string, responses: readonly string[]]

const eventId = fc.constantFrom(
  'gala',
  'Gala',
  'a/b',
  '17',
  'caf\u00e9',
  "'; drop table headcount.events; --",
)

/** Items as the spec shows them, of every shape. */
const plainResponse = fc
  .record({
    id: fc.integer({ min: 1, max: 12 }),
    name: fc.constantFrom('Ann', 'Ben', '李雷', 'Zoë'),
    created_at: fc.constantFrom(
      '2026-03-01T10:00:00Z',
      '2026-03-01T10:00:00.5Z',
      '2026-03-01T12:00:00+02:00',
    ),
    shape: fc.constantFrom(
      { quantity: 2, rsvp: 'yes' },
      { amount: '12.5', processing_fee: '0.40' },
      { amount: '12.50', processing_fee: '0.40' },
      { quantity: 1, slots: [{ name: 'Bar', start_date: '2026-10-25T02:30:00+02:00', end_date: null }] },
      { quantity: 1, slots: [{ name: 'Door' }, { name: 'Bar', start_date: '2026-10-25T01:30:00+01:00' }] },
    ),
  })
  .map(({ shape, ...common }) => JSON.stringify({ ...common, ...shape }))
const response = fc.oneof(
  { arbitrary: plainResponse, weight: 4 },
  { arbitrary: responseEntries.map(objectText), weight: 4 },
  { arbitrary: anyItem, weight: 1 },
)
const entry: fc.Arbitrary<Entry> = fc
  .tuple(eventId, eventEntries, fc.array(response, { maxLength: 6 }))
  .map(([id, fields, responses]) => {
    const others = fields.filter(([key]) => key !== 'id')
    return [id, objectText([['id', JSON.stringify(id)], ...others]), responses]
  })
const entries = fc.uniqueArray(entry, { selector: ([id]) => id, minLength: 1, maxLength: 4 })

/** Two versions of an account: events that stay as they are, change, go and come. */
export const twoVersions: fc.Arbitrary<readonly [AccountTexts, AccountTexts]> = fc
  .tuple(
    entries,
    entries,
    fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    fc.array(anyItem, { maxLength: 1 }),
  )
  .map(([first, others, stays, odd]) => {
    const kept = first.filter((_, at) => stays[at])
    const second = [...kept, ...others.filter(([id]) => !kept.some(([same]) => same === id))]
    return [textsOf(first, []), textsOf(second, odd)]
  })

function textsOf(known: readonly Entry[], odd: readonly string[]): AccountTexts {
  return {
    events: [...known.map(([, event]) => event), ...odd],
    lists: new Map(known.map(([id, , responses]) => [id, responses])),
  }
}

/** An event in its meaning, with its responses by id in theirs. */
export interface Meaning {
  readonly record: string
  readonly responses: ReadonlyMap<string, string>
}
export type Meanings = ReadonlyMap<string, Meaning>

/**
 * What the mirror holds after a run, with all deletions applied: a rejected item with a readable id stays as it was,
 * and the responses of an event whose record stays are those of now.
 */
export function mirrorOf({ events, lists }: AccountTexts, before: Meanings = new Map()): Meanings {
  const read = readList('event', events)
  const now = new Map<string, Meaning>()
  const former = read.rejectedIds.flatMap((id) => {
    const was = before.get(id)
    return was === undefined ? [] : [[id, was.record] as const]
  })
  for (const [id, record] of new Map([...former, ...read.rows])) {
    const list = readList('response', lists.get(id) ?? [])
    const was = before.get(id)?.responses
    const stay = list.rejectedIds.flatMap((response) => {
      const meaning = was?.get(response)
      return meaning === undefined ? [] : [[response, meaning] as const]
    })
    now.set(id, { record, responses: new Map([...stay, ...list.rows]) })
  }
  return now
}

/** The rejects of an account, each as `event id or nothing`, its place and its text. */
export function rejectsOf({ events, lists }: AccountTexts): string[] {
  const read = readList('event', events)
  const ofLists = [...read.rows.keys()].flatMap((id) =>
    readList('response', lists.get(id) ?? []).rejects.map((reject) => `${id} ${reject}`),
  )
  return [...read.rejects.map((reject) => ` ${reject}`), ...ofLists].toSorted(compare)
}

function readList(kind: Kind, sources: readonly string[]) {
  const rows = new Map<string, { readonly meaning: string; readonly updated: bigint | null }>()
  const rejects: string[] = []
  const rejectedIds: string[] = []
  for (const [place, source] of sources.entries()) {
    const item = parseWithSource(source)
    const id = idOf(kind, item)
    if (id === null || !isObject(item) || hasFlaw(item)) {
      rejects.push(`${place} ${source}`)
      if (id !== null && !isRounded(item)) rejectedIds.push(id)
      continue
    }
    const updated = kind === 'event' ? null : toMicroseconds(item['updated_at'])
    const former = rows.get(id)?.updated ?? null
    // The later `updated_at`, else the later item.
    if (former === null || (updated !== null && updated >= former))
      rows.set(id, { meaning: meaningOf(kind, item), updated })
  }
  return { rows: new Map([...rows].map(([id, { meaning }]) => [id, meaning])), rejects, rejectedIds }
}

/** Numbers of an item that is too deep are doubles: a large id is not known then. */
function isRounded(item: JsonValue): boolean {
  return isTooDeep(item) && isObject(item) && typeof item['id'] === 'object'
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
