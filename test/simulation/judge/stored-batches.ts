/**
 * What a run that came to no end has stored: whole batches, in the order in which their events were answered (design,
 * section 5.6). Where several writers, or a wait for one, leave open which, whatever can come of it is right, and
 * nothing else.
 */

/** An event on its way into a batch. */
export interface Load {
  readonly id: string
  /** With its own record. */
  readonly rows: number
  /** Whether its responses go with it, or its record alone. */
  readonly hasList: boolean
  /** Its list is so short that it is never too large for memory. */
  readonly isTiny?: boolean
  /** Its list came back empty: when its batch is written it is left out, and it is stored when all others are. */
  readonly isLast?: boolean
}

/** What is seen of an event in the mirror: as it was, or as the run makes it; null where that is the same. */
export type Sight = 'old' | 'new' | null

/**
 * How reading ended. `still`: it waits, and what was full is stored. `told`: it was given up because of an answer;
 * batches that are full are stored. `aborted`: from a moment on no batch is begun. `dead`: from a moment on nothing
 * goes through. `read`: all was read, and so what did not fill a batch is stored too; `dead_after`: the same, and dead
 * at whatever moment.
 */
export type End = 'still' | 'told' | 'aborted' | 'dead' | 'read' | 'dead_after'

export interface Batching {
  readonly batchRows: number
  /** Batches that are written at once. */
  readonly writers: number
  /** Each list is a batch as soon as it is there: it is too large for memory. */
  readonly isEachLarge: boolean
  /** It took so long that a batch may have been stored for its age. */
  readonly isSlow: boolean
}

/** What became empty is stored when all else is, in batches of its own. */
export function canBeStored(
  loads: readonly Load[],
  seen: (id: string) => Sight,
  end: End,
  batching: Batching,
): boolean {
  const last = loads.filter(({ isLast }) => isLast)
  const lastIds = new Set(last.map(({ id }) => id))
  if (!areStored(loads, (id) => (lastIds.has(id) ? null : seen(id)), end, batching)) return false
  const isBegun = last.some(({ id }) => seen(id) === 'new')
  if (end !== 'read' && end !== 'dead_after') return !isBegun
  if (isBegun && loads.some(({ id }) => !lastIds.has(id) && seen(id) === 'old')) return false
  return areStored(last, seen, end, batching)
}

/** In one of the orders in which they may come into batches. */
function areStored(
  loads: readonly Load[],
  seen: (id: string) => Sight,
  end: End,
  batching: Batching,
): boolean {
  return ordersOf(loads, batching).some((order) => areStoredInOrder(order, seen, end, batching))
}

/**
 * As they were answered; but a list that lies in a file is read from there first, or waits for a writer of its own,
 * and meanwhile the one that is answered next may come before it.
 */
function* ordersOf(loads: readonly Load[], batching: Batching, from = 0): Generator<readonly Load[]> {
  if (from + 1 >= loads.length) {
    yield loads
    return
  }
  yield* ordersOf(loads, batching, from + 1)
  const [first, second] = [loads[from], loads[from + 1]]
  if (!batching.isEachLarge || first?.hasList !== true || second === undefined) return
  yield* ordersOf(loads.with(from, second).with(from + 1, first), batching, from + 2)
}

/** For one request at once: then two events are under way, the one of them perhaps waiting for a writer. */
function areStoredInOrder(
  loads: readonly Load[],
  seen: (id: string) => Sight,
  end: End,
  batching: Batching,
): boolean {
  const { writers, isEachLarge } = batching
  const sights = loads.map(({ id }) => seen(id))
  const isDying = end === 'dead' || end === 'dead_after'

  /** @param lost batches that came before and are not stored */
  const canGoOn = (from: number, batches: number, lost: number): boolean => {
    if (canEnd(from, batches)) return true
    return nextEnds(loads, from, batches, end, batching).some((to) => {
      const batch = sights.slice(from, to)
      const [isNew, isOld] = [batch.includes('new'), batch.includes('old')]
      if (isNew && isOld) return false
      if (isOld) return isDying && canGoOn(to, batches + 1, lost + 1)
      // Of those that are written at once, one is stored at the least when a later batch is.
      return (!isNew || lost < writers) && canGoOn(to, batches + 1, lost)
    })
  }
  const canEnd = (from: number, batches: number): boolean => {
    const rest = sights.slice(from)
    if (rest.includes('new')) return false
    if (rest.length === 0 || isDying) return true
    if (end === 'read') return false
    const full = fullAt(loads, from, batching)
    if (full === null) return true
    // It still waited for a writer, or its list was still read through.
    return end === 'aborted' && full === loads.length && (batches >= writers || isEachLarge)
  }
  return canGoOn(0, 0, 0)
}

/** Where the batch that begins here may end. */
function nextEnds(
  loads: readonly Load[],
  from: number,
  batches: number,
  end: End,
  batching: Batching,
): readonly number[] {
  const { length } = loads
  if (from >= length) return []
  const full = fullAt(loads, from, batching)
  const ends = new Set<number>()
  if (full !== null) ends.add(full)
  if (batching.isSlow) for (let to = from + 1; to <= length; to++) ends.add(to)
  // While it waits for a writer, or a large list is read through, the other event that is under way comes in.
  const mayWait = batches >= batching.writers || batching.isEachLarge
  const isJoined = full !== null && full < length && !isLarge(loads[full], batching)
  if (full !== null && mayWait && isJoined) ends.add(full + 1)
  if (full === null && (end === 'read' || end === 'dead_after')) ends.add(length)
  return [...ends]
}

/** Behind the event that makes the batch full, or before one whose list is a batch of its own; null when none is. */
function fullAt(loads: readonly Load[], from: number, batching: Batching): number | null {
  let sum = 0
  for (let at = from; at < loads.length; at++) {
    const load = loads[at]
    if (isLarge(load, batching)) return at === from ? at + 1 : at
    sum += load?.rows ?? 0
    if (sum >= batching.batchRows) return at + 1
  }
  return null
}

function isLarge(load: Load | undefined, { isEachLarge }: Batching): boolean {
  return isEachLarge && load?.hasList === true && load.isTiny !== true
}
