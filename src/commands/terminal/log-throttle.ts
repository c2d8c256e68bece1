const MINUTE_MS = 60_000
const MAX_KINDS = 100

/** Tells an error when none with the same message was told within the last minute: a database that is away fails every request. */
export function rateLimitLog(tell: (error: unknown) => void): (error: unknown) => void {
  const told = new Map<string, number>()
  return (error) => {
    const message = error instanceof Error ? error.message : String(error)
    const last = told.get(message)
    const now = performance.now()
    if (last !== undefined && now - last < MINUTE_MS) return
    if (told.size >= MAX_KINDS) told.clear()
    told.set(message, now)
    tell(error)
  }
}
