/** What stands around the rows of a binary COPY. */
import { DatabaseError } from '../common/errors.ts'

/** What every binary COPY begins with: the signature, no flags, no extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
/** Stands where the number of a row's fields would, behind the last row. */
const TRAILER = Buffer.from([0xff, 0xff])

/** Joins rows to one COPY. */
export function toCopy(rows: readonly Buffer[]): Buffer<ArrayBuffer> {
  return Buffer.concat([HEADER, ...rows, TRAILER])
}

/**
 * The rows of one COPY.
 *
 * @throws DatabaseError for one without its end: rows that are not in it are not absent
 */
export function fromCopy(bytes: Buffer): Buffer {
  const end = bytes.length - TRAILER.length
  if (end < HEADER.length || !bytes.subarray(end).equals(TRAILER)) throw incompleteCopy()
  return bytes.subarray(HEADER.length, end)
}

export function incompleteCopy(): DatabaseError {
  return new DatabaseError('The database ended a COPY before all of it was read. Run it again.')
}
