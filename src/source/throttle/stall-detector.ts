/** Watches for a service that has stalled: requests are out, and nothing comes. One timer for all of them. */

export interface Silence extends Disposable {
  /** Awaits the head of an answer. */
  head<T>(answer: Promise<T>): Promise<T>
  /** A piece of some body came: a service that is busy sending has not stalled. */
  heard(): void
}

/**
 * @param afterMs so long nothing must come, and no request go out, while at least one head is awaited
 * @param stalled is told of each such span
 */
export function watchSilence(afterMs: number, stalled: (silentMs: number) => void): Silence {
  let awaited = 0
  let lastSign = -Infinity
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    timer = undefined
    if (awaited === 0) return
    const silentMs = performance.now() - lastSign
    if (silentMs >= afterMs) stalled(silentMs)
    lookIn(silentMs >= afterMs ? afterMs : afterMs - silentMs)
  }
  const lookIn = (ms: number): void => {
    timer = setTimeout(look, Math.ceil(ms)).unref()
  }
  const heard = (): void => {
    lastSign = performance.now()
  }
  return {
    head: async (answer) => {
      awaited += 1
      heard()
      if (timer === undefined) lookIn(afterMs)
      try {
        const head = await answer
        heard()
        return head
      } finally {
        awaited -= 1
      }
    },
    heard,
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
