/** The sign of life of another run, as the database has it. */
export interface LastHeartbeat {
  /** Which one: the time stamp as text. */
  readonly beat: string
  /** Seconds since it, by the database's clock; negative when that clock was set back. */
  readonly silence: number
}

/**
 * Tells for how many seconds another run has been silent. A beat that lies in the future says nothing of its age:
 * then it counts for how long the same beat has been seen, by this process's own clock.
 */
export function trackHeartbeatAge(
  now: () => number = () => performance.now(),
): (of: LastHeartbeat) => number {
  let seen: { readonly beat: string; readonly at: number } | null = null
  return ({ beat, silence }) => {
    if (silence >= 0) return silence
    if (seen?.beat !== beat) seen = { beat, at: now() }
    return (now() - seen.at) / 1000
  }
}
