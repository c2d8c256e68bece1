/** What stands before a PGlite that is asked: how values are read, whose the folder is, whether there is room on the disk. */
import type { PGliteLike, TypeParsers, QueryRunner } from './types.ts'
import type { FolderLock } from './data-dir-lock.ts'
import { requireDiskSpace } from './disk-space.ts'
import { parserFor } from '../type-parsers.ts'

/** Every type gets our reader, also those for which PGlite has one of its own. */
export function readersFor({ parsers }: PGliteLike): TypeParsers {
  return Object.fromEntries(Object.keys(parsers).map((type) => [type, parserFor(Number(type))]))
}

/**
 * A database of the caller's keeps its own readers for what the caller asks: ours go with each statement. One of our
 * own has them for good, for PGlite copies all that come with a statement (600 of them, a fifth of a run's time).
 */
export function reading(sender: QueryRunner, parsers: TypeParsers | null): QueryRunner {
  if (parsers === null) return sender
  return { query: (text, values, options) => sender.query(text, values, { ...options, parsers }) }
}

export function guarded(sender: QueryRunner, lock: FolderLock): QueryRunner {
  return {
    query: (text, values, options) => {
      lock.assertHeld()
      return sender.query(text, values, options)
    },
  }
}

/** A single statement is a transaction of its own: one that writes needs room on the disk, too. */
export function withRoom(sender: QueryRunner, folder: string | null): QueryRunner {
  if (folder === null) return sender
  return {
    query: async (text, values, options) => {
      if (!/^\s*(?:select|with)\b/i.test(text)) await requireDiskSpace(folder, { durable: true })
      return sender.query(text, values, options)
    },
  }
}
