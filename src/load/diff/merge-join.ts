import type { RowReader } from '../copy/decoder.ts'

/** Of a key: in both with the same bytes, in both but not the same, or on one side alone. */
export type Meeting = 'same' | 'differs' | 'incoming' | 'live'

/**
 * Goes through two sequences of rows, both in the order of their keys, and tells of each key as the readers stand at it.
 * A live row that is the same is passed over unread: look at the incoming one.
 *
 * @param integers so many columns of integers belong to the key, behind the text
 */
export function walkRows(
  incoming: RowReader,
  live: RowReader,
  integers: number,
  meet: (meeting: Meeting) => void,
): void {
  let isIncoming = incoming.next()
  /** Null as long as the next live row was not read. */
  let isLive: boolean | null = null
  for (;;) {
    if (isIncoming && isLive === null && live.passSame(incoming)) {
      meet('same')
      isIncoming = incoming.next()
      continue
    }
    isLive ??= live.next()
    if (!isIncoming && !isLive) return
    const meeting = meetingOf(isIncoming ? incoming : null, isLive ? live : null, integers)
    meet(meeting)
    if (meeting !== 'live') isIncoming = incoming.next()
    if (meeting !== 'incoming') isLive = null
  }
}

function meetingOf(incoming: RowReader | null, live: RowReader | null, integers: number): Meeting {
  if (live === null) return 'incoming'
  if (incoming === null) return 'live'
  if (incoming.isEqual(live)) return 'same'
  const order = incoming.compareKey(live, integers)
  if (order === 0) return 'differs'
  return order < 0 ? 'incoming' : 'live'
}
