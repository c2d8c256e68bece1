import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { engines, freshMirror } from '../../support/databases/databases.ts'
import { TABLE_COLUMNS } from '../../../src/common/schema/table-columns.ts'
import { VIEWS } from '../../../src/common/schema/view-columns.ts'
import { readSchemaDescription } from '../../../src/mirror/query/describe-schema.ts'
import { listSchema, listUncommented } from '../../support/mirror/schema-listing.ts'

/** Postgres 15 writes the columns of a view with the name of their table, also where they need none. */
const qualifiesColumns = Number(process.env['POSTGRES'] ?? 18) < 16
const unqualified = (listing: string) => listing.replaceAll(/\b\w+\.(?=\w)/g, '')

/** After a new migration: `vitest run test/integration/db/schema.test.ts -u` writes the listing anew. */
test.each(engines)('the schema is the one listed in test/schema.sql (%s)', async (engine) => {
  await using mirror = await freshMirror(engine)
  const listing = await listSchema(mirror.database)
  if (engine === 'postgres' && qualifiesColumns) {
    expect(unqualified(listing)).toBe(
      unqualified(await readFile(new URL('../../schema.sql', import.meta.url), 'utf8')),
    )
  } else {
    await expect(listing).toMatchFileSnapshot('../../schema.sql')
  }
})

test('every table, view, column and function says what it is', async () => {
  await using mirror = await freshMirror('postgres')
  expect(await listUncommented(mirror.database)).toEqual([])
})

test('the tables have the columns that are declared, so that doctor sees what was dropped', async () => {
  await using mirror = await freshMirror('postgres')
  const { tables } = await mirror.database.transaction(readSchemaDescription, { readOnly: true })
  const sorted = (columns: readonly string[]) => columns.toSorted()
  const found = tables.map(({ name, columns }) => [name, sorted(columns.map((column) => column.name))])
  const declared = Object.entries(TABLE_COLUMNS).map(([name, columns]) => [name, sorted(columns)])
  expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(found))
})

test('the views have the columns that are declared for the types of their rows', async () => {
  await using mirror = await freshMirror('postgres')
  const { views } = await mirror.database.transaction(readSchemaDescription, { readOnly: true })
  for (const [name, columns] of Object.entries(VIEWS)) {
    const found = views.find((view) => view.name === name)?.columns ?? []
    const types = found.map(({ name: column, type }) => [column, type === 'boolean' ? 'bool' : type])
    const declared = Object.entries(columns).map(([column, type]) => [column, type.replace(' not null', '')])
    expect(types, name).toEqual(declared)
  }
})
