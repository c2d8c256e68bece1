import { describe, expect, test } from 'vitest'
import { figuresOf } from './figures.ts'
import { foretell } from './predict-runs.ts'
import { DAY, liveAccount, MINUTE } from './living-account.ts'
import type { LivingEvent } from './living-account.ts'

const HOUR = 60 * MINUTE
const ORIGIN = Date.UTC(2026, 0, 1)
const every = (step: number, count: number) => Array.from({ length: count }, (_, place) => place * step)

function event(id: string, at: number, changes: readonly number[] = []): LivingEvent {
  return { id, at, listedFrom: at - 60 * DAY, changes }
}

describe('npm run bench:requests', () => {
  test('an active event is read at each run, one long past after 1 h, 2 h, 4 h, and soon again after a change', () => {
    const events = [event('active', DAY), event('past', -90 * DAY, [6 * HOUR + 1])]
    const ticks = [...foretell(events, every(HOUR, 24), ORIGIN)]
    const readOf = (id: string) => ticks.filter(({ read }) => read.includes(id)).map(({ now }) => now / HOUR)
    expect(readOf('active')).toEqual(ticks.map(({ now }) => now / HOUR))
    expect(readOf('past')).toEqual([0, 1, 3, 7, 8, 10, 14, 22])
  })

  test('counts requests beside those for every event, and how late changes are read', () => {
    const events = [
      event('active', DAY, [20 * MINUTE]),
      event('past', -90 * DAY, [61 * MINUTE, 6 * HOUR]),
      { ...event('to come', 61 * DAY), listedFrom: 2 * HOUR },
    ]
    const figures = figuresOf(events, [...foretell(events, every(HOUR, 5), ORIGIN)])
    // Runs at 0, 1, 2, 3 and 4 h: active 5, past at 0, 1, 3 and, for its change, 4 h, to come from 2 h on.
    expect(figures).toMatchObject({ runs: 5, requests: 10 + 5 + 4 + 3, requestsForAll: 10 + 5 + 5 + 3 })
    expect(figures.active).toMatchObject({ changes: 1, unread: 0, median: 40 * MINUTE })
    expect(figures.past).toMatchObject({ changes: 1, unread: 0, median: 119 * MINUTE })
  })

  test('the account keeps its number of active events, and changes most before an event', () => {
    const events = liveAccount({ events: 1000, days: 30 })
    const activeAt = (now: number) =>
      events.filter(({ at, listedFrom }) => listedFrom <= now && at > now - 30 * DAY).length
    expect([0, 10 * DAY, 29 * DAY].map(activeAt)).toEqual([50, 50, 50])
    const changes = events.flatMap(({ at, changes }) => changes.map((change) => (at - change) / DAY))
    const between = (least: number, most: number) =>
      changes.filter((ahead) => ahead > least && ahead <= most).length / (most - least)
    expect(between(-1, 1)).toBeGreaterThan(between(7, 30) * 5)
    expect(between(-1, 1)).toBeGreaterThan(between(-30, -7) * 20)
  })
})
