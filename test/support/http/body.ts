/** A body in memory, as if it had been received. */
import { createHash } from 'node:crypto'
import type { Body } from '../../../src/source/body/receive.ts'

export function bodyOf(text: string): Body {
  const all = Buffer.from(text)
  return {
    size: all.length,
    buffer: null,
    digest: createHash('sha256').update(all).digest(),
    isUtf8: true,
    read: async (bytes, place) => void all.copy(bytes, 0, place),
  }
}
