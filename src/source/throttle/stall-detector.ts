/** Detects a stalled service: requests are open, and no byte arrives. One timer serves all requests. */

export interface StallDetector extends Disposable {
  /** Awaits the head of a response. */
  awaitHead<T>(response: Promise<T>): Promise<T>
  /** A chunk of a body arrived: the service has not stalled. */
  onActivity(): void
}

/**
 * @param afterMs a silence of this length counts as a stall while at least one head is awaited
 * @param onStall called after each such silence
 */
export function createStallDetector(afterMs: number, onStall: (silentMs: number) => void): StallDetector {
  let awaited = 0
  let lastActivity = -Infinity
  let timer: NodeJS.Timeout | undefined
  const check = (): void => {
    timer = undefined
    if (awaited === 0) return
    const silentMs = performance.now() - lastActivity
    if (silentMs >= afterMs) onStall(silentMs)
    checkIn(silentMs >= afterMs ? afterMs : afterMs - silentMs)
  }
  const checkIn = (ms: number): void => {
    timer = setTimeout(check, Math.ceil(ms)).unref()
  }
  const onActivity = (): void => {
    lastActivity = performance.now()
  }
  return {
    awaitHead: async (response) => {
      awaited += 1
      onActivity()
      if (timer === undefined) checkIn(afterMs)
      try {
        const head = await response
        onActivity()
        return head
      } finally {
        awaited -= 1
      }
    },
    onActivity,
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
