/** The clock of the throttle and of the retries. A simulation replaces it, so that hours pass in a moment. */
import { sleep } from '../../common/abort.ts'

export interface Clock {
  /** Monotonic time in ms. */
  now(): number
  /** Waits so many ms, or throws the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = { now: () => performance.now(), sleep }
