import { statfs } from 'node:fs/promises'
import { DatabaseError } from '../../common/errors.ts'
import type { TransactionOptions } from '../transaction.ts'

const MB = 1_000_000
/** A new segment of PGlite's log takes 17 MB at once; the rest is for rows, indexes and what others write meanwhile. */
const MIN_FREE = 64 * MB
/** Enough to say how a run ended. */
const MIN_FREE_TO_FINISH = 20 * MB
/** Content is written as a row, as an index entry and in the log. */
const COPIES = 3

/**
 * Makes sure that a transaction finds room on the disk. PGlite, when the disk is full in the middle of a write to
 * its log, may spin for ever: no error, no signal, no deadline gets through (seen with 0.5.16 on 80 MB).
 *
 * @throws DatabaseError that says how much is free and how much is needed
 */
export async function requireDiskSpace(
  folder: string,
  { durable = false, contentBytes = 0 }: Pick<TransactionOptions, 'durable' | 'contentBytes'>,
): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const needed = durable ? MIN_FREE_TO_FINISH : MIN_FREE + COPIES * contentBytes
  // guard: room on the disk
  if (free >= needed) return
  throw new DatabaseError(
    `The disk of the folder ${folder} is full: ${Math.floor(free / MB)} MB are free, ${Math.ceil(needed / MB)} MB are needed. Free space, then run again.`,
  )
}
