/** Which deletions of a list may be applied (design, section 5.7), clause by clause. */
import type { Held } from './mirror.ts'
import type { Sign } from './faults.ts'

export interface Loss {
  /** Live ids that the list no longer has. */
  readonly absent: readonly string[]
  /** Rows that go with them, and whether that many are many. */
  readonly rows: number
  readonly isMuch: boolean
  /** Live rows that the list had. */
  readonly live: number
  /** Items as sent, by each look at the list. */
  readonly lengths: readonly number[]
  readonly hasNamelessReject: boolean
  readonly sign: Sign | null
  readonly held: ReadonlyMap<string, Held>
  readonly isEventsList: boolean
}

export interface Ruling {
  readonly remove: readonly string[]
  readonly held: ReadonlyMap<string, Held>
  /** Rows removed without confirmation. */
  readonly unconfirmed: number
  readonly brakes: boolean
}

export interface Circumstances {
  /** Minutes of simulated time. */
  readonly now: number
  readonly holdFor: number
  readonly accept: boolean
  /** Rows removed without confirmation so far, how many may be, and whether the brake was pulled. */
  readonly removed: number
  readonly allowed: number
  readonly braked: boolean
}

export function isMuch(lost: number, of: number): boolean {
  return lost > 10 && lost > of / 10
}

const pages = [50, 100, 200, 250, 500, 1000]

export function rule(loss: Loss, around: Circumstances): Ruling {
  const { absent, rows, lengths, live, sign } = loss
  if (absent.length === 0) return { remove: [], held: new Map(), unconfirmed: 0, brakes: false }
  const isEmptied = lengths.includes(0) && (live >= 2 || loss.isMuch)
  const looksLikeOutage =
    sign !== null ||
    loss.hasNamelessReject ||
    isEmptied ||
    loss.isMuch ||
    lengths.some((length) => pages.includes(length))
  const brakes = !looksLikeOutage && (around.braked || around.removed + rows > around.allowed)
  if (!looksLikeOutage && !brakes) return { remove: absent, held: new Map(), unconfirmed: rows, brakes }

  const proves = sign === null && !loss.hasNamelessReject && !(loss.isEventsList && isEmptied)
  const remove: string[] = []
  const held = new Map<string, Held>()
  for (const id of absent) {
    const known = loss.held.get(id)
    if (known === undefined) held.set(id, { since: around.now, proven: proves })
    else if (around.accept) remove.push(id)
    else if (!proves) held.set(id, known)
    else if (!known.proven) held.set(id, { since: around.now, proven: true })
    else if (around.now - known.since >= around.holdFor) remove.push(id)
    else held.set(id, known)
  }
  return { remove, held, unconfirmed: 0, brakes }
}
