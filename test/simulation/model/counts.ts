/** What came, changed and went in a run, as its report counts it. */
import { isSame, unitOf } from './mirror.ts'
import type { Ended, Mirror, Unit } from './mirror.ts'

const tables = ['events', 'responses', 'payments', 'slots'] as const
type Changed = Record<'updated' | 'deleted', number>
type Counts = Record<(typeof tables)[number], Changed & { inserted: number }>

/**
 * Counts what came, changed and went from each of these states of the mirror to the next. What a list that is read twice
 * has lost, and then has again, went and came: history tells of both.
 */
export function countRows(...states: readonly Mirror[]): Counts {
  const none = () => ({ inserted: 0, updated: 0, deleted: 0 })
  const counts: Counts = { events: none(), responses: none(), payments: none(), slots: none() }
  for (const [place, after] of states.entries()) {
    if (place > 0) addChanges(states[place - 1] ?? after, after, counts)
  }
  return counts
}

function addChanges(before: Mirror, after: Mirror, counts: Counts): void {
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [partsOf(unitOf(before, id)), partsOf(unitOf(after, id))]
    for (const table of tables) compare(old[table], now[table], counts[table])
  }
}

/** Versions of events and of responses that ended between the two states, as history has them. */
export function countEnded(before: Mirror, after: Mirror): Record<'events' | 'responses', Changed> {
  const records = ended(after, ({ recordHistory }) => recordHistory)
  const responses = ended(after, ({ history }) => [...history.values()].flat())
  const formerRecords = ended(before, ({ recordHistory }) => recordHistory)
  const formerResponses = ended(before, ({ history }) => [...history.values()].flat())
  return { events: less(records, formerRecords), responses: less(responses, formerResponses) }
}

/** What of these counts history must tell of. */
export function changedOf({ events, responses }: Counts): ReturnType<typeof countEnded> {
  const changed = ({ updated, deleted }: Changed) => ({ updated, deleted })
  return { events: changed(events), responses: changed(responses) }
}

function ended(mirror: Mirror, of: (unit: Unit) => readonly Ended[]): Changed {
  const versions = [...mirror.values()].flatMap(of)
  const deleted = versions.filter(({ operation }) => operation === 'delete').length
  return { updated: versions.length - deleted, deleted }
}

function less(now: Changed, before: Changed): Changed {
  return { updated: now.updated - before.updated, deleted: now.deleted - before.deleted }
}

function compare(
  old: ReadonlyMap<string, unknown>,
  now: ReadonlyMap<string, unknown>,
  counts: Counts[keyof Counts],
): void {
  for (const [key, value] of now) {
    if (!old.has(key)) counts.inserted += 1
    else if (!isSame(old.get(key), value)) counts.updated += 1
  }
  for (const key of old.keys()) if (!now.has(key)) counts.deleted += 1
}

function partsOf({ record, responses }: Unit): Record<(typeof tables)[number], Map<string, unknown>> {
  const rows = [...responses]
  return {
    events: new Map(record === null ? [] : [['', record]]),
    responses: new Map(rows),
    payments: new Map(rows.flatMap(([id, { payment }]) => (payment === null ? [] : [[id, payment]]))),
    slots: new Map(rows.flatMap(([id, { slots }]) => slots.map((slot, place) => [`${id} ${place}`, slot]))),
  }
}

export interface OpenMatters {
  readonly rejected: number
  readonly held: number
  readonly unconfirmed: number
  readonly set_aside: number
}

/** @param accepted rejects that the owner can live with: the list and the SHA-256 */
export function countOpen(mirror: Mirror, accepted: ReadonlySet<string>): OpenMatters {
  const sum = (of: (unit: Unit) => number) =>
    [...mirror.values()].reduce((total, unit) => total + of(unit), 0)
  return {
    rejected: [...mirror].flatMap(([id, { rejects }]) =>
      rejects.filter(({ sha256 }) => !accepted.has(`${id} ${sha256}`)),
    ).length,
    held: sum(({ facts }) => facts?.held.size ?? 0),
    unconfirmed: sum(({ facts }) => facts?.unconfirmed.size ?? 0),
    set_aside: sum(({ facts }) => facts?.asides ?? 0),
  }
}
