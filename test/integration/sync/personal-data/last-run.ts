/** What a run stored, and what the mirror serves after it. */
import { expect } from 'vitest'
import type { RunReport } from '../../../../src/index.ts'
import { mirrorClient, responsesTo } from '../../../support/http/mirror-client.ts'
import { serve } from '../../../support/http/serving.ts'
import type { Stage } from '../../../support/runs/stage.ts'

/** Rows of the report that a run wrote. */
export const written = ({ rows }: RunReport): number =>
  Object.values(rows).reduce((sum, row) => sum + row.inserted + row.updated + row.deleted, 0)

/** The changes of responses that the last run stored. */
export const lastChanges = (on: Stage) =>
  on.query(`select response_id, change from headcount.changes
              where entity = 'response' and run_id = (select max(id) from headcount.sync_runs) order by 1`)

/** The list of the event `gala`, served before and after a run that takes what the pattern finds out of it; it is another list then. */
export async function servedAround(on: Stage, traces: RegExp, run: () => Promise<unknown>) {
  await using serving = await serve(on.target)
  const client = await mirrorClient(on.target, serving)
  const before = await client.read(responsesTo('gala'))
  expect(before.body).toMatch(traces)
  await run()
  const after = await client.read(responsesTo('gala'))
  expect(after.body).not.toMatch(traces)
  expect(after.etag).not.toBe(before.etag)
  return { before, after }
}
