import type { RowCursor } from '../../copy-format/row-cursor.ts'

/** Where a key was found: in both with equal bytes, in both with different bytes, or on one side only. */
export type MatchKind = 'same' | 'differs' | 'incoming' | 'live'

/**
 * Merges two sequences of rows that are sorted by key, and calls back for each key while the cursors are at it. A live row
 * that is equal is skipped without being looked into: take the values of the incoming one.
 *
 * @param integers how many integer columns follow the text in the key
 */
export function mergeJoin(
  incoming: RowCursor,
  live: RowCursor,
  integers: number,
  onMatch: (kind: MatchKind) => void,
): void {
  let isIncoming = incoming.next()
  /** Null until the next live row is read. */
  let isLive: boolean | null = null
  for (;;) {
    if (isIncoming && isLive === null && live.skipIfEqual(incoming)) {
      onMatch('same')
      isIncoming = incoming.next()
      continue
    }
    isLive ??= live.next()
    if (!isIncoming && !isLive) return
    const kind = matchKind(isIncoming ? incoming : null, isLive ? live : null, integers)
    onMatch(kind)
    if (kind !== 'live') isIncoming = incoming.next()
    if (kind !== 'incoming') isLive = null
  }
}

function matchKind(incoming: RowCursor | null, live: RowCursor | null, integers: number): MatchKind {
  if (live === null) return 'incoming'
  if (incoming === null) return 'live'
  if (incoming.isEqual(live)) return 'same'
  const order = incoming.compareKey(live, integers)
  if (order === 0) return 'differs'
  return order < 0 ? 'incoming' : 'live'
}
