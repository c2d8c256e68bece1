/** Permits of p-limit that are acquired and released by hand. */
import type { LimitFunction } from 'p-limit'
import { raceAbort } from './abort.ts'

/** Releases the permit; a second call does nothing. */
export type Release = () => void

/** Waits for a permit. @throws the signal's reason when it is aborted first; no permit stays taken */
export async function acquire(limit: LimitFunction, signal: AbortSignal): Promise<Release> {
  const turn = Promise.withResolvers<Release>()
  const occupy = async (): Promise<void> => {
    const { promise: givenBack, resolve: giveBack } = Promise.withResolvers<void>()
    if (signal.aborted) return
    turn.resolve(giveBack)
    await givenBack
  }
  void limit(occupy)
  try {
    return await raceAbort(turn.promise, signal)
  } catch (error) {
    // The permit may arrive at the moment of the abort.
    void turn.promise.then((giveBack) => giveBack())
    throw error
  }
}
