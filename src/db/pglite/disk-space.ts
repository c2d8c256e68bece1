import { readFile, statfs } from 'node:fs/promises'
import { DatabaseError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
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

/** PGlite makes each segment of its WAL with this size. */
const WAL_SEGMENT = 16 * 1024 * 1024

/**
 * Checks that this process may write files as large as those of the WAL (`ulimit -f`, `LimitFSIZE` of systemd): a write beyond the limit
 * is to PGlite as one to a full disk. On Linux; elsewhere the limit is not looked at.
 *
 * @throws DatabaseError
 */
export async function requireFileSize(folder: string): Promise<void> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, soft] = /^Max file size +(\d+)/m.exec(limits) ?? []
  // guard: size of files
  if (soft === undefined || Number(soft) >= WAL_SEGMENT) return
  throw new DatabaseError(
    `This process may write files of ${(Number(soft) / MB).toFixed(1)} MB at most (ulimit -f), and the database in the folder ${folder} has files of ${Math.ceil(WAL_SEGMENT / MB)} MB. Raise the limit, or name a Postgres with ${optionName('database')}.`,
  )
}
