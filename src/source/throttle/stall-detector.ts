/** Watches for a service that has stalled: requests are out, and nothing comes. One timer for all of them. */

export interface StallDetector extends Disposable {
  /** Awaits the head of an answer. */
  awaitHead<T>(answer: Promise<T>): Promise<T>
  /** A chunk of some body came: a service that is busy sending has not stalled. */
  onActivity(): void
}

/**
 * @param afterMs so long nothing must come, and no request go out, while at least one head is awaited
 * @param stalled is told of each such span
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
    awaitHead: async (answer) => {
      awaited += 1
      onActivity()
      if (timer === undefined) checkIn(afterMs)
      try {
        const head = await answer
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
