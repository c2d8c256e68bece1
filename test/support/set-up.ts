import type { TestProject } from 'vitest/node'
import setUpBundle from './commands/bundle.ts'
import setUpEmbedded from './databases/pglite.ts'
import setUpPostgres from './databases/postgres.ts'
import { fastFolder } from './files/fast-folder.ts'
import { removeLeftovers } from './files/leftovers.ts'

/** Both engines and the command at once, before the first integration test: an engine takes seconds and one core. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers(fastFolder)
  const parts = [setUpPostgres, setUpEmbedded, setUpBundle]
  const tearDowns = await Promise.all(parts.map((part) => part(project)))
  return async () => {
    await Promise.all(tearDowns.map((tearDown) => tearDown()))
  }
}
