/** What becomes of the events that are no longer listed, last of all in a run. */
import { absencesOf } from './absences.ts'
import { isMuch, rule } from './deletion-guard.ts'
import type { Circumstances } from './deletion-guard.ts'
import type { ListRead } from './lists.ts'
import { LIST, unitOf, unknownList, withoutEvent } from './mirror.ts'
import type { Facts, Unit } from './mirror.ts'
import type { EventRow } from '../account/items.ts'

/** The two looks at the event list, or one twice. */
export interface Looks {
  readonly list: ListRead<EventRow>
  readonly looked: ListRead<EventRow>
  /** What the first one shows, unless it was asked for and not found; and what either shows. */
  readonly first: ReadonlySet<string>
  readonly present: ReadonlySet<string>
}

/** What is not sure after the first look alone, and whether the brake was pulled. */
export function removeVanished(
  after: Map<string, Unit>,
  { list, looked, first, present }: Looks,
  start: { readonly events: number; readonly total: number },
  around: Circumstances & { readonly run: number },
): { readonly brakes: boolean; readonly unsureAtFirst: number } {
  const known = unitOf(after, LIST)
  const live = [...after].flatMap(([id, { record }]) => (record === null ? [] : id))
  const lackedAtFirst = absencesOf(
    live.filter((id) => !first.has(id)),
    list,
    known.facts,
  )
  const lacked = live.filter((id) => !present.has(id))
  const { sure, unsure } =
    looked === list ? absencesOf(lacked, list, known.facts) : { sure: lacked, unsure: [] }
  const rows = sure.reduce((sum, id) => sum + 1 + unitOf(after, id).responses.size, 0)
  const ruling = rule(
    {
      absent: sure,
      rows,
      isMuch: isMuch(rows, start.total) || isMuch(sure.length, start.events),
      live: start.events,
      lengths: [list.length, looked.length],
      hasNamelessReject: list.hasNamelessReject || looked.hasNamelessReject,
      sign: list.sign ?? looked.sign,
      held: known.facts?.held ?? new Map(),
      isEventsList: true,
      isOneOfMost: false,
    },
    around,
  )
  for (const id of ruling.remove) after.set(id, withoutEvent(unitOf(after, id), around.run))
  // What is neither listed nor in the mirror is forgotten.
  for (const [id, unit] of after) {
    if (unit.record === null && !present.has(id)) after.set(id, { ...unit, rejects: [], facts: null })
  }
  const { now } = around
  const facts: Facts = {
    ...unknownList,
    checkedAt: now,
    checkedBy: around.run,
    readAt: now,
    asides: list.asides,
    held: ruling.held,
    unconfirmed: new Set(unsure),
  }
  after.set(LIST, { ...known, rejects: list.rejects, facts })
  return { brakes: ruling.brakes, unsureAtFirst: lackedAtFirst.unsure.length }
}
