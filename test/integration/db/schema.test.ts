import { expect, test } from 'vitest'
import { engines, freshMirror } from '../../support/databases/databases.ts'
import { listSchema, listUncommented } from '../../support/mirror/schema-listing.ts'

/** After a new migration: `vitest run test/integration/db/schema.test.ts -u` writes the listing anew. */
test.each(engines)('the schema is the one listed in test/schema.sql (%s)', async (engine) => {
  await using mirror = await freshMirror(engine)
  await expect(await listSchema(mirror.database)).toMatchFileSnapshot('../../schema.sql')
})

test('every table, view, column and function says what it is', async () => {
  await using mirror = await freshMirror('postgres')
  expect(await listUncommented(mirror.database)).toEqual([])
})
