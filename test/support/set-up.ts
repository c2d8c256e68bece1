import type { TestProject } from 'vitest/node'
import setUpEmbedded from './embedded.ts'
import setUpPostgres from './postgres.ts'

/** Both engines at once, before the first integration test: each takes seconds and one core. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const tearDowns = await Promise.all([setUpPostgres(project), setUpEmbedded(project)])
  return async () => {
    await Promise.all(tearDowns.map((tearDown) => tearDown()))
  }
}
