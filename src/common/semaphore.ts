/** A bounded number of places, taken and given back by hand where a function's span does not fit. */
import type { LimitFunction } from 'p-limit'
import { raceAbort } from './abort.ts'

/** Gives a place back; a second call does nothing. */
export type Release = () => void

/** Waits for a place; when the signal is aborted first, its reason is thrown and no place stays taken. */
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
    // The turn may have come in the very moment of the abort.
    void turn.promise.then((giveBack) => giveBack())
    throw error
  }
}
