/** Which answers of the service end a run, and with which exit code. */
import type { Ran } from './judge-run.ts'
import { endOf, eventsRead } from './lists.ts'
import { unitOf } from './mirror.ts'
import { readableFrom } from './predict.ts'
import type { World } from './world.ts'

const exits = { passing: 4, refused: 3, missing: 2, broken: 7, answered: null, same: null } as const

/** `refusals`: the key was refused in the middle, when part of the run is done. */
export function fatalExit(world: World, { step, heard, asked }: Ran): number | 'refusals' | null {
  if (step.key === 'wrong') return 3
  for (const subject of ['ping', 'events'] as const) {
    const exit = exits[endOf(heard, subject)?.end ?? 'answered']
    if (exit !== null) return exit
  }
  const first = endOf(heard, 'events')
  if (first === undefined) return null
  const list = eventsRead(first)
  const ids = new Set([...list.rows.keys(), ...list.rejectedIds])
  const live = [...world.mirror].filter(([, { record }]) => record !== null)
  const isOther =
    world.email !== null && world.email.toLowerCase() !== endOf(heard, 'ping')?.email.toLowerCase()
  if (isOther && !step.adopt && live.length > 0 && !live.some(([id]) => ids.has(id))) return 2
  const readable = new Set(readableFrom(list, world.mirror).map(({ id }) => id))
  if (asked.named?.some((id) => !readable.has(id))) return 2
  return refusedAt(world, heard) === null ? null : 'refusals'
}

/** The answer that ends it: of three events without a success between, but for those that were refused before; or of the second look. */
export function refusedAt({ mirror }: World, heard: Ran['heard']): number | null {
  let refusals = 0
  for (const [at, { subject, end }] of heard.entries()) {
    if (subject === 'again' && end === 'refused') return at
    if (!subject.startsWith('/') || end === 'passing') continue
    if (end === 'answered' || end === 'same') refusals = 0
    else if (end === 'refused' && unitOf(mirror, subject.slice(1)).facts?.refused !== true) refusals += 1
    if (refusals >= 3) return at
  }
  return null
}
