/** Compares what the mirror holds with what the model says, and history with every moment that was seen. */
import { difference } from './difference.ts'
import { eventText, responseText } from '../model/documents.ts'
import { emptyUnit, LIST, unitOf } from '../model/mirror.ts'
import type { Ended, Mirror, Unit } from '../model/mirror.ts'
import type { Seen, Version } from './snapshot.ts'
import type { Sight } from './stored-batches.ts'
import { canonical } from '../account/items.ts'

/** What the program did is not what it promised. */
export class Broken extends Error {}

export function require(holds: boolean, what: string): void {
  if (!holds) throw new Broken(what)
}

export function requireEqual(actual: unknown, expected: unknown, what: string): void {
  const found = difference(JSON.parse(canonical(actual ?? null)), JSON.parse(canonical(expected ?? null)))
  require(found === null, `${what}: ${found}`)
}

/** The mirror is what the model says, to the last fact. */
export function requireMirror(seen: Mirror, expected: Mirror): void {
  for (const id of idsOf(seen, expected)) {
    const [actual, wanted] = [plain(unitOf(seen, id)), plain(unitOf(expected, id))]
    if (canonical(actual) === canonical(wanted)) continue
    for (const part of Object.keys(wanted)) requireEqual(actual[part], wanted[part], `${nameOf(id)}: ${part}`)
  }
}

/**
 * After a run that broke off: each event is wholly what it was or wholly what the run was to make of it.
 *
 * @param between what the run made of events on the way: of all before it read the first, of each by its first reading
 * @returns the mirror as it turned out to be, of the model's own making
 */
export function requireWhole(
  seen: Mirror,
  before: Mirror,
  after: Mirror,
  ...between: readonly Mirror[]
): Mirror {
  const turnedOut = new Map<string, Unit>()
  for (const id of idsOf(seen, before, after)) {
    const actual = canonical(plain(unitOf(seen, id)))
    const possible = [before, after, ...between].map((mirror) => unitOf(mirror, id))
    const found = possible.find((unit) => canonical(plain(unit)) === actual)
    if (found === undefined) {
      requireEqual(
        plain(unitOf(seen, id)),
        plain(unitOf(before, id)),
        `${nameOf(id)} is neither old nor new (new is ${canonical(plain(unitOf(after, id)))})`,
      )
    } else turnedOut.set(id, found)
  }
  return turnedOut
}

function idsOf(...mirrors: readonly Mirror[]): ReadonlySet<string> {
  return new Set(mirrors.flatMap((mirror) => [...mirror.keys()]))
}

function nameOf(id: string): string {
  return id === LIST ? 'the event list' : `event ${id}`
}

/** Whether the unit is as it was, or as the run makes it; null where that is the same. */
export function sightOf(seen: Mirror, before: readonly Mirror[], after: Mirror): (id: string) => Sight {
  return (id) => {
    const [actual, wanted] = [seen, after].map((mirror) => canonical(plain(unitOf(mirror, id))))
    const isOld = before.some((mirror) => canonical(plain(unitOf(mirror, id))) === actual)
    return isOld && actual === wanted ? null : isOld ? 'old' : 'new'
  }
}

/** Whether the event is seen as this mirror has it. */
export function isAs(seen: Mirror, mirror: Mirror, id: string): boolean {
  return canonical(plain(unitOf(seen, id))) === canonical(plain(unitOf(mirror, id)))
}

/** A unit as plain values, without what only the model knows. */
function plain(unit: Unit): Record<string, unknown> {
  if (unit === emptyUnit) return emptyPlain
  const { record, responses, rejects, facts, recordHistory, history } = unit
  return {
    record,
    responses: byKey(responses),
    rejects: rejects.toSorted((a, b) => a.index - b.index),
    facts: facts && {
      ...facts,
      checkedBy: null,
      body: null,
      sent: null,
      unconfirmed: [...facts.unconfirmed].toSorted(),
      held: byKey(
        new Map(
          [...facts.held].map(([id, { since, runSince, expired, proven, braked }]) => [
            id,
            [since, runSince, expired, proven, braked],
          ]),
        ),
      ),
    },
    recordHistory: recordHistory.map(plainEnd),
    history: byKey(new Map([...history].map(([id, ends]) => [id, ends.map(plainEnd)]))),
  }
}

function plainEnd({ document, operation }: Ended): Ended {
  return { document, operation }
}

const emptyPlain = plain({ ...emptyUnit })

function byKey(map: ReadonlyMap<string, unknown>): readonly (readonly [string, unknown])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** What was live at a moment: documents by key. */
export interface Moment {
  at: number
  readonly live: ReadonlyMap<string, string>
}

export function momentOf({ at, mirror }: Seen): Moment {
  return { at, live: liveDocuments(mirror) }
}

function liveDocuments(mirror: Mirror): Map<string, string> {
  const live = new Map<string, string>()
  for (const [id, { record, responses }] of mirror) {
    if (record !== null) live.set(id, eventText(record))
    for (const row of responses.values()) live.set(`${id} ${row.id}`, responseText(row))
  }
  return live
}

/** History has no gap but where something was gone, and replays to each of these moments. */
export function requireReplay({ versions, mirror }: Seen, moments: readonly Moment[]): void {
  for (const [key, spans] of Map.groupBy(versions, ({ key }) => key)) requireContiguous(key, spans)
  const live = liveDocuments(mirror)
  for (const moment of moments) {
    const then = new Map<string, string>()
    for (const { key, from, to, document } of versions) {
      if (from <= moment.at && (to === null || moment.at < to)) then.set(key, document ?? live.get(key) ?? '')
    }
    if (
      then.size === moment.live.size &&
      [...then].every(([key, document]) => moment.live.get(key) === document)
    )
      continue
    requireEqual(byKey(then), byKey(moment.live), 'history does not replay to a former state')
  }
}

function requireContiguous(key: string, versions: readonly Version[]): void {
  const spans = versions.toSorted((a, b) => a.from - b.from || (a.to ?? Infinity) - (b.to ?? Infinity))
  for (const [place, { from, to, operation }] of spans.entries()) {
    const next = spans[place + 1]
    require(to === null || to >= from, `${key}: a span ends before it begins`)
    if (next === undefined)
      require(operation !== 'update', `${key}: a version ended by an update has no next one`)
    else if (operation === 'update') require(next.from === to, `${key}: a gap in history`)
    else require(to !== null && next.from >= to, `${key}: two versions at once`)
  }
}
