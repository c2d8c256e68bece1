import type { Mark } from '../marks.ts'

export type EngineName = 'postgres' | 'pglite'
export const engineNames: readonly EngineName[] = ['postgres', 'pglite']

/** A database system to measure on. */
export interface Engine extends AsyncDisposable {
  readonly name: EngineName
  /** An empty mirror of its own, gone when it is disposed of. */
  fresh(): Promise<Fresh>
}

export interface Fresh extends AsyncDisposable {
  readonly url: string
  /** Where its life begins. */
  readonly mark: Mark
}

/** Makes a database an empty mirror at rest, unless it is one, and tells its mark. */
export type Prepare = (url: string) => Promise<Mark>

export async function startEngine(name: EngineName, folder: string, prepare: Prepare): Promise<Engine> {
  // Loaded when asked for: a bench on one engine must not need the other.
  if (name === 'postgres') return (await import('./postgres.ts')).startPostgres(folder, prepare)
  return (await import('./pglite.ts')).startPglite(folder, prepare)
}
