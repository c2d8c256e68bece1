/** Which tables a move or a backup copies. A table that is declared and stands in neither list is an error of the compiler. */
import type { Tables } from './tables.ts'

type DeclaredTable = keyof Tables extends `headcount.${infer Name}` ? Name : never

/** What another database gets of each table. */
const COPYING = {
  accounts: 'rows',
  events: 'rows',
  responses: 'rows',
  payments: 'rows',
  slots: 'rows',
  event_history: 'rows',
  response_history: 'rows',
  rejects: 'rows',
  accepted_rejects: 'rows',
  sync_runs: 'rows',
  sync_state: 'rows',
  // Before the table that refers to it.
  suppressions: 'rows',
  suppressed_responses: 'rows',
  api_observations: 'rows',
  api_keys: 'rows',
  links: 'rows',
  // Who was told what: the next digest goes on where the last one ended.
  deliveries: 'rows',
  rsvp_meanings: 'rows',
  slot_targets: 'rows',
  person_id_secret: 'rows',
  // The roles are those of the other server: who may read there is to be said there.
  readers: 'none',
  // It tells of this database alone.
  moved: 'none',
  // The migrations of the other database fill it.
  schema_migrations: 'none',
} as const satisfies Readonly<Record<DeclaredTable, 'rows' | 'none'>>

/** The tables whose rows are copied, in an order that foreign keys allow. */
export const COPIED_TABLES: readonly string[] = tablesOf('rows')

/** The tables of the schema that stay behind. */
export const TABLES_LEFT_BEHIND: readonly string[] = tablesOf('none')

/** Tables in which a migration puts rows. They are no sign of a mirror, and are replaced by those of the copy. */
export const SEEDED_TABLES: readonly string[] = ['rsvp_meanings', 'person_id_secret']

function tablesOf(kind: (typeof COPYING)[DeclaredTable]): readonly string[] {
  return Object.entries(COPYING).flatMap(([table, copied]) => (copied === kind ? [table] : []))
}
