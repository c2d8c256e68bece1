/**
 * One deadline over a whole request, from the first byte sent to the last received: a pause between two chunks
 * says nothing, for a slow drip never pauses long. It grows with what arrives, so that a large list can finish.
 */
import { LONGEST_TIMER_MS } from './wait.ts'

const BYTES_FOR_ONE_SECOND = 256 * 1024

export interface Deadline extends Disposable {
  /** Aborted when the time is over or the life that bounds it ends, with that reason. */
  readonly signal: AbortSignal
  /** Body bytes as they came over the wire: every 256 KiB give one second more. */
  received(bytes: number): void
  /** Awaits something that is not the service's doing; the clock stands still meanwhile. */
  standStill<T>(wait: Promise<T>): Promise<T>
}

/**
 * @param life bounds the request too: when it ends, so does the request, with its reason
 * @param expired makes the reason, from the number of bytes received until then
 */
export function startDeadline(
  timeoutMs: number,
  life: AbortSignal,
  expired: (bytes: number) => Error,
): Deadline {
  const controller = new AbortController()
  let due = performance.now() + timeoutMs
  let bytes = 0
  let waits = 0
  let timer: NodeJS.Timeout | undefined
  const end = (): void => controller.abort(life.reason)
  const check = (): void => {
    if (waits > 0) return
    const left = due - performance.now()
    if (left <= 0) controller.abort(expired(bytes))
    else timer = setTimeout(check, Math.min(Math.ceil(left), LONGEST_TIMER_MS))
  }
  if (life.aborted) end()
  else life.addEventListener('abort', end, { once: true })
  check()
  return {
    signal: controller.signal,
    received: (more) => {
      bytes += more
      due += (more / BYTES_FOR_ONE_SECOND) * 1000
    },
    standStill: async (wait) => {
      const since = performance.now()
      waits += 1
      clearTimeout(timer)
      try {
        return await wait
      } finally {
        waits -= 1
        due += performance.now() - since
        check()
      }
    },
    [Symbol.dispose]: () => {
      waits = Infinity
      clearTimeout(timer)
      life.removeEventListener('abort', end)
    },
  }
}
