/** Detects a stalled service: requests are open, and no byte arrives. One timer serves all requests. */
import { MAX_TIMER_MS } from '../../common/abort.ts'

export interface StallDetector extends Disposable {
  /** Awaits the head of a response to a source. */
  awaitHead<T>(response: Promise<T>, source: object): Promise<T>
  /** A chunk of a body arrived: the service has not stalled. */
  onActivity(): void
}

/**
 * @param afterMs a silence of this length counts as a stall while at least one head is awaited
 * @param onStall called after each such silence, with the number of sources that await a head
 */
export function createStallDetector(
  afterMs: number,
  onStall: (silentMs: number, sources: number) => void,
): StallDetector {
  const awaited = new Map<object, number>()
  let lastActivity = -Infinity
  let timer: NodeJS.Timeout | undefined
  const check = (): void => {
    timer = undefined
    if (awaited.size === 0) return
    const silentMs = performance.now() - lastActivity
    if (silentMs >= afterMs) onStall(silentMs, awaited.size)
    checkIn(silentMs >= afterMs ? afterMs : afterMs - silentMs)
  }
  const checkIn = (ms: number): void => {
    timer = setTimeout(check, Math.min(Math.ceil(ms), MAX_TIMER_MS)).unref()
  }
  const onActivity = (): void => {
    lastActivity = performance.now()
  }
  return {
    awaitHead: async (response, source) => {
      awaited.set(source, (awaited.get(source) ?? 0) + 1)
      onActivity()
      if (timer === undefined) checkIn(afterMs)
      try {
        const head = await response
        onActivity()
        return head
      } finally {
        const left = (awaited.get(source) ?? 0) - 1
        if (left > 0) awaited.set(source, left)
        else awaited.delete(source)
      }
    },
    onActivity,
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
