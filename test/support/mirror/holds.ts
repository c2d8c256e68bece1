/** What is held in a mirror, and time that passes over it. */
import type { Stage } from '../runs/stage.ts'

/** The reason and the number of the deletions held of a list; '' is the event list. */
export function heldOf({ mirror }: Stage, event_id: string): [string, number][] {
  return (mirror.states.get(event_id)?.held ?? []).map(({ reason, ids }) => [reason, ids.length])
}

/** As if the holds had been first seen two hours earlier, and a run had seen since that this is long enough. */
export async function twoHoursPass(stage: Stage): Promise<void> {
  await timePasses(stage, 120)
  await stage.change(`
    update headcount.sync_state
       set held_deletions = (select jsonb_agg(g || '{"expired": true}') from jsonb_array_elements(held_deletions) g)
     where held_deletions is not null`)
}

/** As if so many minutes had passed since the holds were first seen, by both clocks or by one of them. */
export async function timePasses(
  { change }: Stage,
  minutes: number,
  clocks: 'both' | 'database' | 'run' = 'both',
): Promise<void> {
  const shifted = (field: string) => `
    jsonb_build_object('${field}', to_char((g->>'${field}')::timestamptz at time zone 'UTC' - interval '${minutes} min',
                                           'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))`
  const fields = [...(clocks === 'run' ? [] : ['since']), ...(clocks === 'database' ? [] : ['run_since'])]
  await change(`
    update headcount.sync_state
       set held_deletions = (select jsonb_agg(${['g', ...fields.map(shifted)].join(' || ')}) from jsonb_array_elements(held_deletions) g)
     where held_deletions is not null`)
  if (clocks !== 'run')
    await change(
      `update headcount.sync_state set held_deletions_since = held_deletions_since - interval '${minutes} min' where held_deletions is not null`,
    )
}
