/** When a message that was not accepted is tried again. Pure. */
import type { SendFailure } from './result.ts'

const FIRST_WAIT_MS = 60_000
const MAX_WAIT_MS = 3_600_000
/** An address that is refused is wrong more often than busy; somebody has to change it. */
const FIRST_WAIT_AFTER_REFUSAL_MS = 3_600_000
const MAX_WAIT_AFTER_REFUSAL_MS = 86_400_000

/** @param failures how often in a row it failed before this time */
export function retryWait(
  failures: number,
  { isPermanent, retryAfterMs }: Pick<SendFailure, 'isPermanent' | 'retryAfterMs'>,
): number {
  const [first, max] = isPermanent
    ? [FIRST_WAIT_AFTER_REFUSAL_MS, MAX_WAIT_AFTER_REFUSAL_MS]
    : [FIRST_WAIT_MS, MAX_WAIT_MS]
  const wait = Math.min(max, first * 2 ** Math.min(failures, 20))
  return Math.max(wait, Math.min(retryAfterMs ?? 0, MAX_WAIT_AFTER_REFUSAL_MS))
}
