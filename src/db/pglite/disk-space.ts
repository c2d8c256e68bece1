import { statfs } from 'node:fs/promises'
import { DatabaseError } from '../../common/errors.ts'
import type { TransactionOptions } from '../transaction.ts'

const MB = 1_000_000
/** A new segment of PGlite's WAL takes 17 MB; the rest is for rows, indexes and other writers. */
const MIN_FREE = 64 * MB
/** Enough to store the end of a run. */
const MIN_FREE_TO_FINISH = 20 * MB
/** Content is written to the table, to the indexes and to the WAL. */
const COPIES = 3

/**
 * Checks that the disk has space for a transaction. When the disk is full during a write to the WAL, PGlite may loop
 * for ever, without an error and deaf to signals (seen with 0.5.16).
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
