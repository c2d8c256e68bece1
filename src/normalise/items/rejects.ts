import { createHash } from 'node:crypto'
import { MAX_PAYLOAD_BYTES } from '../../common/schema/items.ts'
import type { RejectItem } from '../../common/schema/tables.ts'
import type { SentItem } from './sent-item.ts'
import { replaceInvalidChars } from '../../common/text/postgres-text.ts'
import type { FatalIssue } from './item-issues.ts'

export type RejectReason = 'not_an_object' | 'id_missing' | 'id_invalid' | 'too_large' | FatalIssue

/**
 * The item as it goes into `rejects`.
 *
 * @param id when it can be read: the live row with this id stays.
 */
export function createReject(item: SentItem, reason: RejectReason, id: string | null = null): RejectItem {
  const isAboutId = reason === 'id_missing' || reason === 'id_invalid'
  const source = Buffer.from(item.text)
  return {
    item_index: item.index,
    reason,
    path: `$[${item.index}]${isAboutId ? '.id' : ''}`,
    payload: replaceInvalidChars(truncateUtf8(source)),
    bytes: source.length,
    sha256: createHash('sha256').update(source).digest('hex'),
    id,
  }
}

/** The first 64 KiB, ended before a character that would be cut in two. */
function truncateUtf8(source: Buffer): string {
  if (source.length <= MAX_PAYLOAD_BYTES) return source.toString()
  let end = MAX_PAYLOAD_BYTES
  while (isContinuation(source[end])) end -= 1
  return source.toString('utf8', 0, end)
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000
}
