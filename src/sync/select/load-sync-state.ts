import { readStates } from '../../load/state/sync-state.ts'
import type { OpenRun } from '../open/run-context.ts'

/**
 * Recalls what is known of each list while `ask` asks the service for its first answers: the database needs about as
 * long. `ask` gets the promise that `run.states` is there. Nothing is asked of the database any more when this ends.
 */
export async function recallMeanwhile<Answers>(
  run: OpenRun,
  ask: (recalled: Promise<void>) => Promise<Answers>,
): Promise<Answers> {
  const recalled = readStates(run.database.kysely, run.account.id).then((states) => {
    run.states = states
  })
  // Whoever needs them awaits them later: until then a failure is not unhandled.
  recalled.catch(() => {})
  try {
    return await ask(recalled)
  } finally {
    await recalled.catch(() => {})
  }
}
