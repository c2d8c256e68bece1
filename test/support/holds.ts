/** What is held in a mirror, and time that passes over it. */
import type { Stage } from './stage.ts'

/** The reason and the number of the deletions held of a list; '' is the list of events. */
export function heldOf({ mirror }: Stage, event_id: string): [string, number][] {
  return (mirror.states.get(event_id)?.held ?? []).map(({ reason, ids }) => [reason, ids.length])
}

/** As if the holds had been first seen two hours earlier. */
export async function twoHoursPass({ change }: Stage): Promise<void> {
  await change(`
    update headcount.sync_state
       set held = (select jsonb_agg(g || jsonb_build_object('since',
                            to_char((g->>'since')::timestamptz at time zone 'UTC' - interval '2 h',
                                    'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')))
                     from jsonb_array_elements(held) g),
           held_since = held_since - interval '2 h'
     where held is not null`)
}
