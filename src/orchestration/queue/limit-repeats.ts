import { ageOf, now, type MonotonicTime } from '../schedule/monotonic-time.ts'

const SILENCE_MS = 60_000

type Warn = (message: string, fields?: object) => void

/**
 * Warns of what fails again and again at once, then once a minute with how often that was left out, `repeats`: a database that is away
 * for a night would fill the log.
 */
export function limitRepeats(log: (level: 'warn', message: string, fields?: object) => void): Warn {
  const said = new Map<string, { readonly at: MonotonicTime; repeats: number }>()
  return (message, fields) => {
    const before = said.get(message)
    if (before !== undefined && ageOf(before.at) < SILENCE_MS) {
      before.repeats += 1
      return
    }
    said.set(message, { at: now(), repeats: 0 })
    log('warn', message, { ...fields, ...(before !== undefined && { repeats: before.repeats }) })
  }
}
