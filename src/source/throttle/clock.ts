/** Time as the policies of the source see it: a proof lets hours pass in a moment. */
import { sleep } from '../../common/abort.ts'

export interface Clock {
  /** In ms, from any beginning; never set back. */
  now(): number
  /** Waits so many ms, or throws the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = { now: () => performance.now(), sleep }
