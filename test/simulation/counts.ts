/** What came, changed and went between two states of the mirror, as the report counts it. */
import { isSame, unitOf } from './mirror.ts'
import type { Mirror, Unit } from './mirror.ts'

const tables = ['events', 'responses', 'payments', 'slots'] as const
type Counts = Record<(typeof tables)[number], { inserted: number; updated: number; deleted: number }>

export function countRows(before: Mirror, after: Mirror): Counts {
  const none = () => ({ inserted: 0, updated: 0, deleted: 0 })
  const counts: Counts = { events: none(), responses: none(), payments: none(), slots: none() }
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [partsOf(unitOf(before, id)), partsOf(unitOf(after, id))]
    for (const table of tables) compare(old[table], now[table], counts[table])
  }
  return counts
}

function compare(
  old: ReadonlyMap<string, unknown>,
  now: ReadonlyMap<string, unknown>,
  counts: { inserted: number; updated: number; deleted: number },
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
