/** A history as data: an account and what happens to it, step by step. */
import type { Size } from '../account/account.ts'
import type { Breakage } from '../engine/engine.ts'
import type { Failure, Lie, Shift, Way } from '../service/faults.ts'

/** What a trouble befalls: a number is the place of an event in the list; with `again/`, the second reading of its responses. */
export type Target = 'ping' | 'events' | 'again' | number | `again/${number}`

export interface PlannedTrouble {
  readonly on: Target
  /** Of the first tries, in order. */
  readonly failures: readonly Failure[]
  readonly way: Way
  readonly lie: Lie
  readonly moves: number | null
  /** Of a list in pages, and the seed by which it changes. */
  readonly shift: readonly [Shift, number] | null
}

/**
 * What becomes of the process whose run broke off. One that is seen to be dead leaves the account free at once, one that seems alive
 * after half a minute. The process of a run that lost its database may go on, and knows that the run is over.
 */
export type Fate = 'seen_dead' | 'seems_alive' | 'goes_on'

export interface RunStep {
  readonly do: 'run'
  readonly seed: number
  readonly mode: 'sync' | 'backfill'
  readonly all: boolean
  readonly accept: boolean
  readonly adopt: boolean
  /** Of a backfill: begins anew. */
  readonly restart: boolean
  /** Places of events in the list. */
  readonly named: readonly number[] | null
  readonly concurrency: number
  /** Whether it waits for a service that has gone away as long as there is something to ask for; else not at all. */
  readonly isPatient: boolean
  /** Lists are read from a file, in pieces about so long, as if they were too large for memory; null: they are not. */
  readonly chunkBytes: number | null
  /** Rows that fill a batch; null: so many that no batch of a simulated run is full. */
  readonly batchRows: number | null
  readonly troubles: readonly PlannedTrouble[]
  readonly key: 'own' | 'wrong' | 'other'
  readonly breakage: Breakage | null
  readonly fate: Fate
  readonly interruptAt: Target | null
  readonly refusedFrom: Target | null
  /** Another run meanwhile: refused, or one that takes over because this one stands still. */
  readonly beside: 'none' | 'refused' | 'takes_over'
  readonly beginBeside: Target
}

export type Step =
  | { readonly do: 'moves'; readonly seed: number; readonly count: number }
  | { readonly do: 'pass'; readonly minutes: number }
  /** The clock of the database jumps ahead, and stays so. */
  | { readonly do: 'jump'; readonly minutes: number }
  /** The owner can live with the rejects that there are. */
  | { readonly do: 'accept' }
  | RunStep

export interface History {
  readonly seed: number
  readonly size: Size
  readonly steps: readonly Step[]
}

export const plainRun: RunStep = {
  do: 'run',
  seed: 1,
  mode: 'sync',
  all: false,
  accept: false,
  adopt: false,
  restart: false,
  named: null,
  concurrency: 1,
  isPatient: false,
  chunkBytes: null,
  batchRows: null,
  troubles: [],
  key: 'own',
  breakage: null,
  fate: 'seen_dead',
  interruptAt: null,
  refusedFrom: null,
  beside: 'none',
  beginBeside: 'ping',
}
