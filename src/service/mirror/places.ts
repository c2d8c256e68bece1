import { UnavailableError } from '../unavailable.ts'

/** Places for large lists: each keeps a connection to the database as long as its client takes. */
export interface Places {
  /** Null when all are taken. */
  tryTake(): Disposable | null
  /**
   * Waits for one.
   *
   * @throws UnavailableError when none is given back in time
   */
  take(): Promise<Disposable>
}

const LONGEST_WAIT_MS = 30_000
const RETRY_AFTER_SECONDS = 30

export function createPlaces(count: number): Places {
  let left = count
  const waiting = new Set<(place: Disposable) => void>()

  function tryTake(): Disposable | null {
    if (left === 0) return null
    left -= 1
    return { [Symbol.dispose]: giveBack }
  }

  function giveBack(): void {
    left += 1
    const [first] = waiting
    const place = first === undefined ? null : tryTake()
    if (first === undefined || place === null) return
    waiting.delete(first)
    first(place)
  }

  async function take(): Promise<Disposable> {
    const place = tryTake()
    if (place !== null) return place
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
    waiting.add(resolve)
    const timer = setTimeout(() => {
      if (!waiting.delete(resolve)) return
      const message = 'other large lists are being sent: try again later'
      reject(new UnavailableError('not_ready', message, RETRY_AFTER_SECONDS))
    }, LONGEST_WAIT_MS)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  return { tryTake, take }
}
