/** Whether the account that answers may be another one than the mirror was built from, and what becomes of that. */
import { createHash } from 'node:crypto'
import { isActive } from './due.ts'
import type { Ran } from '../judge/judge-run.ts'
import { require, requireEqual } from '../judge/judge.ts'
import { endOf, eventsRead } from './lists.ts'
import type { Mirror } from './mirror.ts'
import type { World } from '../play/world.ts'

/** What the mirror knows of the account that it was built from. */
export interface Identity {
  readonly email: string | null
  readonly key: string | null
}

/** What a run heard, and by which key. */
type Told = Pick<Ran, 'step' | 'heard' | 'key'>

/** `left`: it lists no event, and what is known of the account stays. */
type Verdict = 'same' | 'taken_over' | 'left' | 'refused'

/** Design, section 5, as amended: half of the events that are not past, or of all where these are fewer than three. */
export function verdictOf({ mirror, identity }: World, told: Told): Verdict {
  const now = toldBy(told)
  if (now === null || !mayBeOther(identity, now)) return 'same'
  if (told.step.adopt) return 'taken_over'
  if (now.ids.size === 0) return 'left'
  const events = [...mirror.values()].flatMap(({ record }) => record ?? [])
  const ahead = events.filter(isActive)
  const counted = ahead.length >= 3 ? ahead : events
  const still = counted.filter(({ id }) => now.ids.has(id)).length
  return still >= counted.length / 2 ? 'taken_over' : 'refused'
}

function mayBeOther(former: Identity, now: Identity): boolean {
  if (former.email !== null) return former.email.toLowerCase() !== now.email?.toLowerCase()
  return former.key !== null && former.key !== now.key
}

/** Null until it has named itself and listed its events. */
function toldBy({ heard, key }: Told) {
  const [ping, events] = [endOf(heard, 'ping'), endOf(heard, 'events')]
  if (ping?.end !== 'answered' || events?.end !== 'answered') return null
  const { rows, rejectedIds } = eventsRead(events)
  const sha256 = createHash('sha256').update(key).digest('hex')
  return { email: ping.email, key: sha256, ids: new Set([...rows.keys(), ...rejectedIds]) }
}

/** The mirror as a run may rely on it. */
export function reliedOn(world: World, told: Told): Mirror {
  return verdictOf(world, told) === 'taken_over' ? withoutReadings(world.mirror) : world.mirror
}

/** What was known of lists besides their rows came from somebody else: each is read anew. */
function withoutReadings(mirror: Mirror): Mirror {
  const units = [...mirror].map(([id, unit]) => {
    const facts = unit.facts && {
      ...unit.facts,
      etag: null,
      step: null,
      backfill: null,
      unconfirmed: new Set<string>(),
    }
    return [id, { ...unit, facts }] as const
  })
  return new Map(units)
}

/** What is known of the account is what it was, or what this run was told; after one that came to its end, for certain. */
export function requireIdentity(
  world: World,
  verdict: Verdict,
  told: Told,
  seen: Identity,
  isAtEnd: boolean,
): void {
  const now = toldBy(told)
  const isFirst = world.identity.key === null
  const stays = now === null || verdict === 'refused' || (now.ids.size === 0 && !isFirst && !told.step.adopt)
  const expected = stays ? world.identity : { email: now.email, key: now.key }
  if (isAtEnd) requireEqual(seen, expected, 'what is known of the account')
  const possible = [world.identity, expected].map((identity) => JSON.stringify(identity))
  require(possible.includes(
    JSON.stringify(seen),
  ), `what is known of the account is ${JSON.stringify(seen)}, not ${possible.join(' or ')}`)
  world.identity = seen
}
