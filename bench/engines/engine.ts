import type { Mark } from './write-counters.ts'

export type EngineName = 'postgres' | 'pglite'
export const engineNames: readonly EngineName[] = ['postgres', 'pglite']

/** A mirror of its own, gone when it is disposed of. */
export interface Mirror extends AsyncDisposable {
  readonly url: string
  /** Where what is written from now on begins. */
  readonly mark: Mark
}

/** A database system to measure on. */
export interface Engine extends AsyncDisposable {
  readonly name: EngineName
  /** A mirror without an account. Nothing writes to it: it is copied. */
  readonly empty: Mirror
  /** A mirror with the same contents; nobody may be connected to the first. */
  copy(mirror: Mirror): Promise<Mirror>
}
