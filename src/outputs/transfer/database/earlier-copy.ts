/** What an earlier move has left that was killed between its last two steps: a whole copy, and a source without its mark. */
import { UsageError } from '../../../common/errors.ts'
import type { Database } from '../../../db/database.ts'
import { accountNames } from '../../../sync/open/find-account.ts'
import { SCHEMA_VERSION, schemaState } from '../../../db/migrate.ts'
import type { ContentsSource } from '../mirror-contents.ts'
import { SNAPSHOT } from './source.ts'
import { checkTables, differing, type TableCheck } from './table-checks.ts'

/** Whether the target has accounts of this very mirror: no other one has its secret. */
export async function hasRowsOf(source: Database, target: Database): Promise<boolean> {
  const { current } = await schemaState(target)
  if (current !== SCHEMA_VERSION || (await accountNames(target)).length === 0) return false
  const secrets = await Promise.all([source, target].map(readSecret))
  return secrets[0] !== undefined && secrets[0] === secrets[1]
}

async function readSecret({ kysely }: Database): Promise<string | undefined> {
  const found = await kysely.selectFrom('headcount.person_id_secret').select('secret').executeTakeFirst()
  return found?.secret
}

/**
 * Makes sure that the copy is what the source is now.
 *
 * @throws UsageError when one of both has changed since
 */
export async function requireSameRows(
  target: Database,
  source: ContentsSource,
  signal: AbortSignal,
): Promise<readonly TableCheck[]> {
  const running = await target.kysely
    .selectFrom('headcount.sync_runs')
    .select('id')
    .where('status', '=', 'running')
    .executeTakeFirst()
  // The accounts of the source are held by runs of the move.
  // guard: a move to itself
  if (running !== undefined) {
    throw new UsageError(
      `${target.label} is this very database, or a run is in progress there: name an empty one. Nothing was changed.`,
    )
  }
  const expected = await source.checks()
  const found = await target.transaction(
    (trx) => checkTables(trx, source.outline.tables, () => signal.throwIfAborted()),
    SNAPSHOT,
  )
  // guard: a copy of before
  if (differing(expected, found) === undefined) return found
  throw new UsageError(
    `${target.label} is not empty: it has a copy of this mirror, and one of both has changed since. Nothing was changed. Name an empty ` +
      `database, or a new folder.`,
  )
}
