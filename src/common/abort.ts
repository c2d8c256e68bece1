/** Work and waits that an abort signal or a deadline ends. */
import { InterruptedError } from './errors.ts'

/** A signal that is never aborted. */
export const NEVER: AbortSignal = new AbortController().signal

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

interface AbortCallback {
  readonly call: (reason: Error) => void
  index: number
}

/**
 * The callbacks of each signal. Arrays, not Sets: a Set that grows and shrinks copies its table again and again, and each
 * old table keeps alive the next one with all that is in it, until the next full garbage collection.
 */
const callbacksBySignal = new WeakMap<AbortSignal, AbortCallback[]>()

function callbacksOf(signal: AbortSignal): AbortCallback[] {
  const known = callbacksBySignal.get(signal)
  if (known !== undefined) return known
  const added: AbortCallback[] = []
  callbacksBySignal.set(signal, added)
  signal.addEventListener('abort', () => {
    for (const { call } of added.slice()) call(toError(signal.reason))
  })
  return added
}

/**
 * Calls back with the signal's reason when it is aborted, at once when it is so already. One listener of the signal
 * serves all: adding and removing a listener costs more than most waits.
 *
 * @returns what takes the callback back
 */
export function onAbort(signal: AbortSignal, call: (reason: Error) => void): () => void {
  const callbacks = callbacksOf(signal)
  const callback = { call, index: callbacks.length }
  callbacks.push(callback)
  if (signal.aborted) call(toError(signal.reason))
  return () => {
    const { index } = callback
    if (callbacks[index] !== callback) return
    const last = callbacks.pop()
    if (last === undefined || last === callback) return
    last.index = index
    callbacks[index] = last
  }
}

/** A signal that follows others until it is disposed of. Not AbortSignal.any: each check of such a signal checks all its sources. */
export function followAbort(
  ...signals: readonly (AbortSignal | undefined)[]
): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController()
  const leave = signals.map((signal) => signal && onAbort(signal, (reason) => controller.abort(reason)))
  return { signal: controller.signal, [Symbol.dispose]: () => leave.forEach((one) => one?.()) }
}

/** Settles as the promise, or rejects with the signal's reason when that comes first. */
export function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: first, resolve, reject } = Promise.withResolvers<T>()
  const takeBack = onAbort(signal, reject)
  promise.then(resolve, reject)
  promise.then(takeBack, takeBack)
  return first
}

/**
 * The answer; what `late` gives, or throws, when it takes longer.
 *
 * @param late is called once, after so many milliseconds
 */
export async function withinTime<T>(answer: PromiseLike<T>, ms: number, late: () => T): Promise<T> {
  const instead = Promise.withResolvers<T>()
  const timer = setTimeout(() => {
    try {
      instead.resolve(late())
    } catch (error) {
      instead.reject(error)
    }
  }, ms)
  try {
    return await Promise.race([answer, instead.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves when the work has ended, or after so many ms. @throws what the work throws */
export async function waitAtMost(ms: number, work: PromiseLike<unknown> | null): Promise<void> {
  await withinTime<unknown>(Promise.resolve(work), ms, () => null)
}

export async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => onAbort(signal, resolve))
}

export function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}

/** The error that ended some work: an InterruptedError once its signal is aborted, whatever failed because of that. */
export function toInterruptedError(
  signal: AbortSignal | undefined,
  cause: unknown,
  message = 'The run was interrupted. What was stored stays; the next run goes on with the rest.',
): unknown {
  if (signal?.aborted !== true) return cause
  if (signal.reason instanceof InterruptedError) return signal.reason
  if (cause instanceof InterruptedError) return cause
  return new InterruptedError(message, 143, { cause })
}

/** Does work that a signal may end. @throws InterruptedError with this message when it did */
export async function interruptible<T>(
  signal: AbortSignal | undefined,
  message: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    signal?.throwIfAborted()
    return await work()
  } catch (error) {
    throw toInterruptedError(signal, error, message)
  }
}
