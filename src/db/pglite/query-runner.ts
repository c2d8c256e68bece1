/** Wrappers around a PGlite: value parsers, the check of the folder's lock, the check of free disk space. */
import type { PGliteLike, TypeParsers, QueryRunner } from './types.ts'
import type { FolderLock } from '../lease/folder-lock.ts'
import { keptMarks } from './keep-byte-order-marks.ts'
import { requireDiskSpace } from './disk-space.ts'
import { parserFor } from '../type-parsers.ts'

/** Our parser for every type, also where PGlite has its own. */
export function readersFor({ parsers }: PGliteLike): TypeParsers {
  return Object.fromEntries(Object.keys(parsers).map((type) => [type, parserFor(Number(type))]))
}

/**
 * A PGlite of the caller keeps its own parsers: each statement carries ours. A PGlite opened here has ours permanently,
 * for PGlite copies the 600 parsers of each statement: a fifth of a run's time.
 */
export function reading(sender: QueryRunner, parsers: TypeParsers | null): QueryRunner {
  const added = { ...keptMarks, ...(parsers !== null && { parsers }) }
  return { query: (text, values, options) => sender.query(text, values, { ...options, ...added }) }
}

export function guarded(sender: QueryRunner, lock: FolderLock): QueryRunner {
  return {
    query: (text, values, options) => {
      lock.assertHeld()
      return sender.query(text, values, options)
    },
  }
}

/** A statement that writes outside a transaction needs free disk space too. */
export function withRoom(sender: QueryRunner, folder: string | null): QueryRunner {
  if (folder === null) return sender
  return {
    query: async (text, values, options) => {
      if (!/^\s*(?:select|with)\b/i.test(text)) await requireDiskSpace(folder, { durable: true })
      return sender.query(text, values, options)
    },
  }
}
