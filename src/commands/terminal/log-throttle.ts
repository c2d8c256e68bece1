import { toError } from '../../common/abort.ts'

const MINUTE_MS = 60_000
const MAX_KINDS = 100

/** Logs an error unless one with the same message was logged within the last minute: a database that is away fails every request. */
export function rateLimitLog(log: (error: unknown) => void): (error: unknown) => void {
  const lastLoggedAt = new Map<string, number>()
  return (error) => {
    const message = toError(error).message
    const last = lastLoggedAt.get(message)
    const now = performance.now()
    if (last !== undefined && now - last < MINUTE_MS) return
    if (lastLoggedAt.size >= MAX_KINDS) lastLoggedAt.clear()
    lastLoggedAt.set(message, now)
    log(error)
  }
}
