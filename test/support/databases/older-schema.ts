import { migrations } from '../../../migrations/index.ts'
import type { Database } from '../../../src/db/connect.ts'

/** The schema as a version left it that knew the migrations up to this number. */
export async function applyUpTo(database: Database, last: number): Promise<void> {
  await change(database, [
    'create schema headcount',
    `create table headcount.schema_migrations (
       number int primary key, name text not null, applied_at timestamptz not null default now())`,
    ...migrations
      .filter(({ number }) => number <= last)
      .flatMap(({ number, name, statements }) => [
        ...statements,
        `insert into headcount.schema_migrations (number, name) values (${number}, '${name}')`,
      ]),
  ])
}

/** Sends statements in one transaction. */
export async function change(database: Database, statements: readonly string[]): Promise<void> {
  await database.transaction(async (trx) => {
    for (const statement of statements) await trx.query(statement)
  })
}
