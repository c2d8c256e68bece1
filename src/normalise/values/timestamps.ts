import { ParsedTimestamp } from '../../copy-format/timestamps.ts'

/** Longer than any time stamp that can be stored. */
const MAX_LENGTH = 64
const timestamp = new ParsedTimestamp()
const bytes = Buffer.alloc(MAX_LENGTH)

/** Whether the text is a time stamp that can be stored (copy-format/timestamps.ts). */
export function isTimestamp(text: string): boolean {
  if (text.length > MAX_LENGTH) return false
  // Of other characters than ASCII more bytes are written.
  return bytes.write(text) === text.length && timestamp.read(bytes, 0, text.length)
}

/** The wall clock of a time stamp as sent: all but its offset. */
export function withoutOffset(timestamp: string): string {
  return timestamp.slice(0, timestamp.length - (timestamp.endsWith('Z') ? 1 : '+00:00'.length))
}
