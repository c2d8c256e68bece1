/**
 * What a list lacks, and whether that is sure: a list in several pages may change between two of them, and then lacks
 * what the service has. Two readings in a row must lack it, the second perhaps in the same run.
 */
import type { Facts } from './mirror.ts'
import { unknownList } from './mirror.ts'

/** A reading of a list, as far as it tells whether it was of one moment. */
interface Reading {
  readonly pages: number
  readonly sent: string
}

export interface Absences {
  readonly sure: readonly string[]
  readonly unsure: readonly string[]
}

export function absencesOf(absent: readonly string[], reading: Reading, facts: Facts | null): Absences {
  const { sent, held, unconfirmed } = facts ?? unknownList
  // The same list was applied whole before, so it lacked the same then.
  const isOfOneMoment = reading.pages === 1 || sent === reading.sent
  const isSure = (id: string) => isOfOneMoment || held.has(id) || unconfirmed.has(id)
  return { sure: absent.filter(isSure), unsure: absent.filter((id) => !isSure(id)) }
}

/** A list read once in this run. */
export interface ReadOnce {
  readonly id: string
  readonly pages: number
  readonly unsure: number
}

/** How many requests second readings may take in all. @param requests sent until then */
export function allowanceOf(requests: number): number {
  return Math.max(3, Math.floor(requests / 20))
}

/** Which lists are read a second time in the same run: of few pages first, then by id. */
export function readTwice(lists: readonly ReadOnce[], allowance: number): readonly ReadOnce[] {
  const few = lists.filter(({ unsure }) => unsure >= 1 && unsure <= 10)
  const sorted = few.toSorted(
    (a, b) => a.pages - b.pages || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)),
  )
  const taken: ReadOnce[] = []
  let used = 0
  for (const list of sorted) {
    if (used + list.pages > allowance) continue
    used += list.pages
    taken.push(list)
  }
  return taken
}
