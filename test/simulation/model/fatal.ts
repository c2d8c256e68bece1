/** Which answers of the service end a run, and with which exit code. */
import { verdictOf } from './another-account.ts'
import type { Ran } from '../judge/judge-run.ts'
import { endOf, eventsRead } from './lists.ts'
import { unitOf } from './mirror.ts'
import { readableFrom } from './predict.ts'
import type { World } from '../play/world.ts'

const exits = { passing: 4, refused: 3, missing: 2, broken: 7, answered: null, same: null } as const

/**
 * `refusals`: the key was refused in the middle, when part of the run is done; `outage`: the service went away then;
 * `unknown_event`: an event was named that is not there.
 */
export type Fatal = number | 'refusals' | 'outage' | 'unknown_event' | null

export function fatalExit(world: World, ran: Ran): Fatal {
  const { step, heard, asked } = ran
  if (step.key === 'wrong') return 3
  for (const subject of ['ping', 'events'] as const) {
    const exit = exits[endOf(heard, subject)?.end ?? 'answered']
    if (exit !== null) return exit
  }
  const first = endOf(heard, 'events')
  if (first === undefined) return null
  const list = eventsRead(first)
  if (verdictOf(world, ran) === 'refused') return 2
  const readable = new Set(readableFrom(list, world.mirror).map(({ id }) => id))
  if (asked.named?.some((id) => !readable.has(id))) return 'unknown_event'
  const [refused, gone] = [refusedAt(world, heard) ?? Infinity, goneAt(world, ran)?.at ?? Infinity]
  if (refused === gone) return null
  return refused < gone ? 'refusals' : 'outage'
}

/** A row of failures: where in the answers its first and its last one came to their end. */
export interface Gone {
  readonly from: number
  readonly at: number
}

/**
 * Where the service counts as gone: three events for each request at once could not be read, and none was answered
 * between. One that could not be read last time either does not count.
 */
export function goneAt({ mirror }: World, { step, heard }: Pick<Ran, 'step' | 'heard'>): Gone | null {
  if (step.isPatient) return null
  const row: number[] = []
  for (const [at, { subject, end }] of heard.entries()) {
    if (!subject.startsWith('/')) continue
    if (end !== 'passing') row.length = 0
    else if (heard.findLastIndex((later) => later.subject === subject) > at) continue
    else if (unitOf(mirror, subject.slice(1)).facts?.unanswered !== true) row.push(at)
    const [from] = row
    if (from !== undefined && row.length >= 3 * step.concurrency) return { from, at }
  }
  return null
}

/** The answer that ends it: of three events without a success between, but for those that were refused before; or of the second look. */
export function refusedAt({ mirror }: World, heard: Ran['heard']): number | null {
  let refusals = 0
  for (const [at, { subject, end }] of heard.entries()) {
    // A second reading that is only there to confirm absences may fail.
    const isNeeded = heard.some((other) => other.end === 'missing' && other.subject.startsWith('/'))
    if (subject === 'again' && end === 'refused' && isNeeded) return at
    if (!subject.startsWith('/') || end === 'passing') continue
    if (end === 'answered' || end === 'same') refusals = 0
    else if (end === 'refused' && unitOf(mirror, subject.slice(1)).facts?.refused !== true) refusals += 1
    if (refusals >= 3) return at
  }
  return null
}
