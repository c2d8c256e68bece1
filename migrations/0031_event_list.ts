/** One name for the list that /events sends: the event list. Only what is said of tables and columns changes. */
export const eventList: readonly string[] = [
  ...['rejects', 'accepted_rejects'].map(
    (table) => `comment on column headcount.${table}.event_id is
    'The event whose list holds the item; NULL for the event list.'`,
  ),
  `comment on column headcount.accounts.first_listed_run_id is
    'The first run that stored the event list whole; NULL before. Of a mirror from before migration 18: its first run that did not fail.'`,
  `comment on table headcount.sync_state is
    'What is known of each list: one row an event, and one for the event list (event_id is empty).'`,
  `comment on column headcount.sync_state.event_id is
    'The event (events.id), or empty for the event list.'`,
  `comment on view headcount.list_status is
    'How each list stands: when it was checked, what is held, rejected or failing. One row an event, and one for the event list (event_id is empty).'`,
]
