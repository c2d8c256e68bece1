/**
 * What a run has learnt from its lists of responses about the service as a whole. Lists that came back empty are decided
 * last, when all others are read: which of them came first must not matter, and one alone says too little.
 */
import { fewRows } from './deletion-guard.ts'
import type { EventWrite } from '../write/event-write.ts'

/** So many lists that became empty in one run may be an organiser's work. */
const FEW_LISTS = 2

/** A list that came back empty while the mirror has responses of it. */
export interface EmptiedList {
  readonly load: EventWrite
  /** Its live responses. */
  readonly rows: number
}

/** The lists of responses that a run has read so far; of one that was read twice the second reading counts. */
export class ListsRead {
  /** Lists that came with items. */
  readonly full = new Set<string>()
  /** Lists that are as they were; the mirror has whether that is empty. */
  readonly unchanged: string[] = []
  /** Lists that came without an item, and had responses: how many, by event. */
  readonly emptied = new Map<string, number>()
  #undecided: EventWrite[] = []

  addFull(event_id: string): void {
    this.full.add(event_id)
    this.emptied.delete(event_id)
  }

  addEmptied({ load, rows }: EmptiedList): void {
    this.emptied.set(load.event.id, rows)
    this.full.delete(load.event.id)
    this.#undecided.push(load)
  }

  /** The emptied lists that are yet to be decided. */
  takeUndecided(): readonly EventWrite[] {
    const loads = this.#undecided
    this.#undecided = []
    return loads
  }
}

/** What distinguishes an outage from an organiser's work. */
export interface Evidence {
  /** Lists that had responses and came back empty. */
  readonly emptied: number
  /** Lists that were read, and have responses. */
  readonly withResponses: number
  /** Live responses of the emptied lists. */
  readonly rows: number
  /** Rows that went since a list with responses was last read, in runs before this one. */
  readonly deletedBefore: number
  /** Live rows of the account (events and responses) when the run began. */
  readonly liveAtStart: number
}

/**
 * Whether the account looks empty, rather than a few of its lists: most of the lists that had responses came back
 * without. A run that found no list with responses has no sign that the service works: there a few lists are
 * enough, once they and what went since the last such sign are more than may go at once.
 */
export function looksEmpty({ emptied, withResponses, rows, deletedBefore, liveAtStart }: Evidence): boolean {
  // guard: most lists empty
  if (emptied > FEW_LISTS && emptied > withResponses) return true
  return (
    withResponses === 0 &&
    /* guard: losses over runs without a sign of life */ rows + deletedBefore > fewRows(liveAtStart)
  )
}
