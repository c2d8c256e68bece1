/** Whether a mirror was moved to another database. */
import { sql, type Kysely } from 'kysely'
import { MovedMirrorError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { Tables } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'

/** Where a mirror went, and when. */
export interface Moved {
  /** The database, without user and password. */
  readonly moved_to: string
  readonly moved_at: string
}

/** Null of a mirror that was not moved. */
export async function readMoved(kysely: Kysely<Tables>): Promise<Moved | null> {
  const found = await kysely.selectFrom('headcount.moved').select(['moved_to', 'moved_at']).executeTakeFirst()
  return found ?? null
}

/**
 * Asked by whoever is about to write: what is written here would be missing in the other database.
 *
 * @throws MovedMirrorError
 */
export async function requireNotMoved(kysely: Kysely<Tables>): Promise<void> {
  const moved = await readMoved(kysely)
  // guard: a mirror that was moved
  if (moved !== null) throw movedError(moved)
}

/** For whoever goes on with what a moved mirror still holds; null of one that was not moved. */
export async function movedWarning(kysely: Kysely<Tables>): Promise<string | null> {
  const moved = await readMoved(kysely)
  return (
    moved &&
    `This mirror ${describeMoved(moved)}. Name that database (${optionName('database')}), and delete this one.`
  )
}

/** A mirror that was moved, in words that follow its name. */
export function describeMoved({ moved_to, moved_at }: Moved): string {
  return `was moved to ${stripControlCharsInLine(moved_to)} on ${moved_at}: what is here stays as it was then, and no run writes to it any more`
}

function movedError({ moved_to, moved_at }: Moved): MovedMirrorError {
  return new MovedMirrorError(
    `This mirror was moved to ${stripControlCharsInLine(moved_to)} on ${moved_at}, and nothing was written here. Name that database ` +
      `(${optionName('database')}), or write here all the same with ${optionName('force')}.`,
  )
}

/** Marks the mirror; a mark of before is replaced. */
export async function markMoved({ kysely }: Transaction, to: string): Promise<Moved> {
  const { rows } = await sql<Moved>`
    insert into headcount.moved (moved_to) values (${to})
        on conflict (is_only) do update set moved_to = excluded.moved_to, moved_at = excluded.moved_at
    returning moved_to, moved_at`.execute(kysely)
  return rows[0] ?? { moved_to: to, moved_at: '' }
}
