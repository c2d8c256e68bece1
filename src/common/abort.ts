/** Waits that an abort signal ends; they then throw its reason. */

/** The longest delay of a timer (2^31 - 1 ms); a longer one fires at once. */
export const MAX_TIMER_MS = 2_147_483_647

/** Waits so many ms, or throws the signal's reason as soon as it is aborted. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, Math.min(ms, MAX_TIMER_MS))
  try {
    await raceAbort(promise, signal)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The pending waits of each signal. One listener serves them all: adding and removing a listener costs more than most
 * waits.
 */
const rejectersBySignal = new WeakMap<AbortSignal, Set<(reason: Error) => void>>()

function rejectersOf(signal: AbortSignal): Set<(reason: Error) => void> {
  const known = rejectersBySignal.get(signal)
  if (known !== undefined) return known
  const added = new Set<(reason: Error) => void>()
  rejectersBySignal.set(signal, added)
  signal.addEventListener('abort', () => {
    for (const stop of added) stop(toError(signal.reason))
  })
  return added
}

/** Settles as the promise, or rejects with the signal's reason when that comes first. */
export function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: first, resolve, reject } = Promise.withResolvers<T>()
  if (signal.aborted) reject(toError(signal.reason))
  const waiting = rejectersOf(signal)
  waiting.add(reject)
  const heard = (settle: () => void): void => {
    waiting.delete(reject)
    settle()
  }
  promise.then(
    (value) => heard(() => resolve(value)),
    (error: unknown) => heard(() => reject(error)),
  )
  return first
}

/** Resolves when the signal is aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

export function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
