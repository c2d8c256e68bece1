import { readStates } from '../../load/state/sync-state.ts'
import type { RunContext } from '../run-context.ts'

/**
 * Recalls what is known of each list while `ask` asks the service for its first answers: the database needs about as
 * long. `ask` gets the promise that `run.initial.states` is there. Nothing is asked of the database any more when this ends.
 */
export async function loadSyncStateWhile<Answers>(
  run: RunContext,
  ask: (loaded: Promise<void>) => Promise<Answers>,
): Promise<Answers> {
  const loaded = readStates(run.mirror.database.kysely, run.mirror.account.id).then((states) => {
    run.initial.states = states
  })
  // Whoever needs them awaits them later: until then a failure is not unhandled.
  loaded.catch(() => {})
  try {
    return await ask(loaded)
  } finally {
    await loaded.catch(() => {})
  }
}
