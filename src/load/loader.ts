import { saveIdentity } from './stored-identity.ts'
import { upsertEvents } from './write/events.ts'
import { saveObservations } from './state/observations.ts'
import { deleteOrphans } from './diff/orphans.ts'
import { countOpenIssues } from './state/open-issues.ts'
import { replaceRejects } from './state/rejects.ts'
import { deleteEvents, deleteResponses } from './write/delete.ts'
import { forgetEvents } from './write/forget.ts'
import { suppressResponses } from './write/erase.ts'
import { rewriteLive } from './write/rewrite-stored.ts'
import { upsertResponses } from './write/responses.ts'
import { deleteStaleState, saveFailures, saveRead, markUnchanged } from './state/sync-state.ts'

/**
 * All writes of a run to the mirror. `postgresLoader` writes; the planner of a dry run (planner.ts) compares and counts.
 * So a dry run takes the same decisions as a real run.
 */
export type Loader = Readonly<typeof postgresLoader>

export const postgresLoader = {
  saveIdentity,
  events: upsertEvents,
  responses: upsertResponses,
  deleteResponses,
  deleteEvents,
  deleteOrphans,
  replaceRejects,
  saveRead,
  markUnchanged,
  saveFailures,
  saveObservations,
  forget: forgetEvents,
  suppress: suppressResponses,
  rewriteLive,
  deleteStaleState,
  /** After all these writes. */
  openIssues: countOpenIssues,
}
