import type { Compiled } from '../../measured/compiled.ts'
import type { Way } from '../../service/ways.ts'
import type { Command } from './process-tree.ts'

/** An account that peers are measured on: all events, or the first tenth of them. */
export type Size = 'whole' | 'tenth'
export const sizes: readonly Size[] = ['whole', 'tenth']

/** Where and with what a peer runs. */
export interface Place {
  readonly base: string
  readonly url: string
  readonly compiled: Compiled
  /** The Python that has the peer's packages; empty for a peer that needs none. */
  readonly python: string
  /** For what the peer keeps between its runs. */
  readonly state: string
}

export interface Packages {
  /** Below bench/studies/peers, with their requirements.txt. */
  readonly folder: 'dlt' | 'singer'
  readonly names: readonly string[]
}

/** One way of mirroring the account, as a row of the table. */
export interface Peer {
  readonly name: string
  readonly what: string
  /** Measured on these when nothing else is asked for: the slow ones on a tenth. */
  readonly sizes: readonly Size[]
  readonly way: Way
  /** The Python packages that it needs, of which the table names the versions; null: none. */
  readonly packages: Packages | null
  /** What its user writes and keeps, below bench/studies/peers. */
  readonly files: readonly string[]
  /** What shows its tables as the service's rows, below bench/studies/peers. */
  readonly rows: string
  readonly command: (place: Place) => Command
}
