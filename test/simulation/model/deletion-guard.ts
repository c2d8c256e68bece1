/** Which deletions of a list may be applied (design, section 5.7), clause by clause. */
import type { Held } from './mirror.ts'
import type { Sign } from '../service/faults.ts'

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
  /** It came back empty as most others did. */
  readonly isOneOfMost: boolean
}

export interface Ruling {
  readonly remove: readonly string[]
  readonly held: ReadonlyMap<string, Held>
  /** Rows removed without confirmation. */
  readonly unconfirmed: number
  readonly brakes: boolean
}

/** Minutes of simulated time, by the clock of the database and by that of the run. */
export interface Clocks {
  readonly now: number
  readonly runNow: number
}

export interface Circumstances extends Clocks {
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
    loss.isOneOfMost ||
    isEmptied ||
    loss.isMuch ||
    lengths.some((length) => pages.includes(length))
  const brakes = !looksLikeOutage && (around.braked || around.removed + rows > around.allowed)
  const wasBraked = absent.some((id) => loss.held.get(id)?.braked)
  if (!looksLikeOutage && !brakes && !wasBraked)
    return { remove: absent, held: new Map(), unconfirmed: rows, brakes }

  const isSure = sign === null && !loss.hasNamelessReject
  const proves = isSure && !loss.isOneOfMost && !(loss.isEventsList && isEmptied)
  const first: Held = {
    since: around.now,
    runSince: around.runNow,
    expired: false,
    proven: proves,
    braked: !looksLikeOutage,
  }
  const remove: string[] = []
  const held = new Map<string, Held>()
  for (const id of absent) {
    const known = loss.held.get(id)
    if (known === undefined) held.set(id, first)
    else if (around.accept) remove.push(id)
    else if (isSure && loss.isOneOfMost) held.set(id, { ...known, proven: false, braked: false })
    else if (!proves) held.set(id, known)
    else if (!known.proven) held.set(id, first)
    else {
      const expired = [around.now - known.since, around.runNow - known.runSince].every(
        (minutes) => minutes >= around.holdFor,
      )
      if (expired && known.expired) remove.push(id)
      else held.set(id, { ...known, expired })
    }
  }
  return { remove, held, unconfirmed: 0, brakes }
}
