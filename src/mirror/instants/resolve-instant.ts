import { sql, type RawBuilder } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import type { InstantInput } from './parse-instant.ts'

/**
 * The instant that is meant, by the clock of the database, and on which side of it.
 *
 * @param present SQL: from when a distance counts
 */
export function resolveInstant(
  { kysely }: Transaction,
  moment: InstantInput,
  present: RawBuilder<unknown> = sql`now()`,
): Promise<{ readonly instant: string; readonly now: string; readonly is_past: boolean }> {
  const instant =
    'at' in moment
      ? sql<string>`${moment.at}::timestamptz`
      : sql<string>`${present} + ${moment.msFromNow} * interval '1 millisecond'`
  return kysely
    .selectNoFrom([
      instant.as('instant'),
      sql<string>`now()`.as('now'),
      sql<boolean>`${instant} <= now()`.as('is_past'),
    ])
    .executeTakeFirstOrThrow()
}
