import type { Counted } from './counted-responses.ts'
import { byTime } from './mirror-rows.ts'

/** Order by creation, NULL first, then by id, then by event. */
export function oldestFirst(a: Counted, b: Counted): number {
  const byId = Number(BigInt(a.id) > BigInt(b.id)) - Number(BigInt(a.id) < BigInt(b.id))
  const byEvent = Buffer.compare(Buffer.from(a.event_id), Buffer.from(b.event_id))
  return byTime(a.created_at, b.created_at) || byId || byEvent
}

/** The value of the latest response that has one. */
export function latestOf(
  responses: readonly Counted[],
  value: (response: Counted) => string | null,
): string | null {
  return (
    responses
      .toSorted(oldestFirst)
      .flatMap((response) => value(response) ?? [])
      .at(-1) ?? null
  )
}
