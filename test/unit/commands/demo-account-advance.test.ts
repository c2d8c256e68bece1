import { describe, expect, test } from 'vitest'
import { createSampleAccount, type SampleAccount } from '../../../src/commands/demo/account/account.ts'

const now = new Date('2026-06-17T10:20:30Z')
const pageLengths = [50, 100, 200, 250, 500, 1000]

type Lists = Map<string, Map<number, string>>

function snapshot(account: SampleAccount): Lists {
  return new Map(
    account
      .events()
      .map(({ id }) => [
        id,
        new Map(account.responses(id)?.map((response) => [response.id, JSON.stringify(response)])),
      ]),
  )
}

function lost(before: Map<number, string>, after: Map<number, string> | undefined): number[] {
  return [...before.keys()].filter((id) => after?.has(id) !== true)
}

describe.each([1, 2, 3, 'harvest', 'Übung'])('fifty steps from the seed %s', (seed) => {
  const account = createSampleAccount({ seed, now })
  const snapshots = [snapshot(account)]
  const changes = Array.from({ length: 50 }, () => {
    const change = account.advance()
    snapshots.push(snapshot(account))
    return change
  })
  const steps = changes.map((change, index) => {
    const [before, after] = [snapshots[index], snapshots[index + 1]]
    if (before === undefined || after === undefined) throw new Error(`no snapshot for step ${index}`)
    return { change, before, after }
  })

  test('say exactly what they did', () => {
    for (const { change, before, after } of steps) {
      const seen = { added: [] as number[], edited: [] as number[], cancelled: [] as number[] }
      for (const [eventId, list] of after) {
        const former = before.get(eventId) ?? new Map<number, string>()
        seen.added.push(...lost(list, former))
        seen.edited.push(
          ...[...list].filter(([id, text]) => former.has(id) && former.get(id) !== text).map(([id]) => id),
        )
        seen.cancelled.push(...lost(former, list))
      }
      expect(new Set(change.added)).toEqual(new Set(seen.added))
      expect(new Set(change.edited)).toEqual(new Set(seen.edited))
      expect(new Set(change.cancelled)).toEqual(new Set(seen.cancelled))
    }
  })

  test('each have something new, something edited and something cancelled', () => {
    for (const { change } of steps) {
      expect(change.added.length).toBeGreaterThan(0)
      expect(change.edited.length).toBeGreaterThan(0)
      expect(change.cancelled.length).toBeGreaterThan(0)
    }
  })

  test('stay below the deletion guard: no list emptied, thinned out or cut to the length of a page', () => {
    for (const { before, after } of steps) {
      let losses = 0
      for (const [eventId, former] of before) {
        const list = after.get(eventId)
        const gone = lost(former, list).length
        losses += gone
        expect(list, `${eventId} vanished`).toBeDefined()
        expect(gone, eventId).toBeLessThanOrEqual(3)
        if (gone > 0) {
          expect(list?.size, eventId).toBeGreaterThan(8)
          expect(pageLengths, eventId).not.toContain(list?.size)
        }
      }
      expect(losses).toBeLessThan(30)
    }
  })

  test('move updated_at of what they edit and leave created_at and the id', () => {
    for (const { change, before, after } of steps) {
      const former = new Map([...before.values()].flatMap((list) => [...list]))
      const current = new Map([...after.values()].flatMap((list) => [...list]))
      for (const id of change.edited) {
        const [was, is] = [JSON.parse(former.get(id) ?? ''), JSON.parse(current.get(id) ?? '')]
        expect(is.created_at).toBe(was.created_at)
        expect(is.updated_at > was.updated_at).toBe(true)
        const same = { ...is, updated_at: was.updated_at }
        expect(same).not.toEqual(was)
      }
    }
  })

  test('edit replies, quantities, messages and slots, and give every id once', () => {
    const first = snapshots[0] ?? new Map()
    const last = snapshots.at(-1) ?? new Map()
    const edits = new Set<string>()
    for (const [eventId, list] of last as Lists) {
      for (const [id, text] of list) {
        const former = (first as Lists).get(eventId)?.get(id)
        if (former === undefined || former === text) continue
        const [was, is] = [JSON.parse(former), JSON.parse(text)]
        for (const field of Object.keys(is)) {
          if (JSON.stringify(is[field]) !== JSON.stringify(was[field])) edits.add(field)
        }
      }
    }
    expect([...edits].sort()).toEqual(['message', 'quantity', 'rsvp', 'slots', 'updated_at'])
    const ids = changes.flatMap(({ added }) => added)
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(account.events().map(({ id }) => id)).size).toBe(account.events().length)
  })
})

test('lists are handed out as copies: what a caller does with one leaves the account as it is', () => {
  const account = createSampleAccount({ seed: 1, now })
  const [event] = account.events()
  const list = account.responses(event?.id ?? '') ?? []
  expect(list.length).toBeGreaterThan(0)
  ;(list as object[]).length = 0
  expect(account.responses(event?.id ?? '')?.length).toBeGreaterThan(0)
  expect(account.responses('no-such-event')).toBeUndefined()
})
