import type { Log } from '../run-guard.ts'
import { waitAtMost } from '../../../common/abort.ts'
import { COMPANION_GRACE_MS } from '../worker.ts'

/** How often the files of the accounts are looked at. */
const LOOK_MS = 10_000
export const LOOK_FAILED = 'the accounts could not be looked at'

/**
 * Looks at the files of the accounts every ten seconds until it is disposed of. While a look takes longer no other one begins: what it
 * found would be overwritten by what an earlier one found.
 */
export function lookAgain(look: () => Promise<void>, log: Log): AsyncDisposable {
  let looking: Promise<void> | null = null
  const timer = setInterval(() => {
    looking ??= look()
      .catch((error: unknown) => log('error', LOOK_FAILED, { err: error }))
      .finally(() => (looking = null))
  }, LOOK_MS)
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await waitAtMost(COMPANION_GRACE_MS, looking)
    },
  }
}
