/** What is known of an account when another one answers at its address. */
import { endOf } from './lists.ts'
import type { Mirror } from './mirror.ts'
import type { Heard } from './service.ts'
import type { World } from './world.ts'

/** The mirror as a run may rely on it. */
export function reliedOn({ mirror, email }: World, heard: readonly Heard[]): Mirror {
  const told = endOf(heard, 'ping')
  const isSame =
    email === null || told?.end !== 'answered' || told.email.toLowerCase() === email.toLowerCase()
  return isSame ? mirror : withoutReadings(mirror)
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
