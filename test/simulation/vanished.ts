/** What becomes of the events that are no longer listed, last of all in a run. */
import { isMuch, rule } from './guard.ts'
import type { Circumstances } from './guard.ts'
import type { ListRead } from './lists.ts'
import { LIST, unitOf, unknownList, withoutEvent } from './mirror.ts'
import type { Facts, Unit } from './mirror.ts'
import type { EventRow } from './truth.ts'

/** @returns whether the brake was pulled. */
export function removeVanished(
  after: Map<string, Unit>,
  list: ListRead<EventRow>,
  looked: ListRead<EventRow>,
  present: ReadonlySet<string>,
  start: { readonly events: number; readonly total: number },
  around: Circumstances,
): boolean {
  const gone = [...after].filter(([id, { record }]) => record !== null && !present.has(id))
  const rows = gone.reduce((sum, [, { responses }]) => sum + 1 + responses.size, 0)
  const known = unitOf(after, LIST)
  const ruling = rule(
    {
      absent: gone.map(([id]) => id),
      rows,
      isMuch: isMuch(rows, start.total) || isMuch(gone.length, start.events),
      live: start.events,
      lengths: [list.length, looked.length],
      hasNamelessReject: list.hasNamelessReject || looked.hasNamelessReject,
      sign: list.sign ?? looked.sign,
      held: known.facts?.held ?? new Map(),
      isEventsList: true,
    },
    around,
  )
  for (const id of ruling.remove) after.set(id, withoutEvent(unitOf(after, id)))
  // What is neither listed nor in the mirror is forgotten.
  for (const [id, unit] of after) {
    if (unit.record === null && !present.has(id)) after.set(id, { ...unit, rejects: [], facts: null })
  }
  const { now } = around
  const facts: Facts = { ...unknownList, checkedAt: now, readAt: now, asides: list.asides, held: ruling.held }
  after.set(LIST, { ...known, rejects: list.rejects, facts })
  return ruling.brakes
}
