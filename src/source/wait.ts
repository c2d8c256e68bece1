/** Waits that end: by the thing awaited, or by a signal, whose reason is then thrown. */

/** The longest delay that a timer keeps (2^31 - 1 ms); a longer one would fire at once. */
export const LONGEST_TIMER_MS = 2_147_483_647

/** Waits so many ms, or throws the signal's reason as soon as it is aborted. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS))
  try {
    await orAborted(promise, signal)
  } finally {
    clearTimeout(timer)
  }
}

/** What the promise gives, or the signal's reason as an error when that comes first; the promise then ends unheard. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(asError(signal.reason))
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([aborted, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
