/** Where a measured process tells what it cost. */
export const COST_DESCRIPTOR = 3

/** Told to a measured process: what it did until now was preparation, and its processor time counts from here on. */
export const PREPARED = 'SIGUSR2'

/** What a measured process tells of itself when it ends. Moments are in milliseconds of the wall clock. */
export interface Told {
  /** Node had started: the program is loaded from here on. */
  readonly begun: number
  /** The first connection was opened, to the database where there is one. */
  readonly connecting: number | null
  /** The first request went to the service. */
  readonly asking: number | null
  readonly ended: number
  /** User and system time of all threads of the process, from `PREPARED` on; the database server's is not in it. */
  readonly cpuMs: number
  /** Most memory that the process ever had resident. */
  readonly peakBytes: number
}
