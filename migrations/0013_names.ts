/**
 * The words of the field instead of our own, before the first release: a column says what it has without its comment.
 * Views follow a renamed column by themselves and keep the names that they show; comments stay with what is renamed.
 */
const renamedColumns = [
  ['sync_state', 'normaliser', 'normaliser_version'],
  ['sync_state', 'read_at', 'last_full_read_at'],
  ['sync_state', 'step', 'poll_interval_s'],
  ['sync_state', 'held', 'held_deletions'],
  ['sync_state', 'held_count', 'held_deletion_count'],
  ['sync_state', 'held_since', 'held_deletions_since'],
  ['sync_runs', 'selective', 'named_events_only'],
  ['api_observations', 'subject', 'path'],
  ['api_observations', 'fact', 'kind'],
  ['api_observations', 'seen', 'count'],
] as const

export const names: readonly string[] = [
  ...renamedColumns.map(
    ([table, from, to]) => `alter table headcount.${table} rename column ${from} to ${to}`,
  ),

  `alter table headcount.reject_acceptances rename to accepted_rejects`,
  `alter table headcount.accepted_rejects
    rename constraint reject_acceptances_account_id_event_id_sha256_key to accepted_rejects_account_id_event_id_sha256_key`,

  `alter view headcount.freshness rename to list_status`,
  `comment on view headcount.list_status is
    'How each list stands: when it was checked, what is held, rejected or failing. One row an event, and one for the list of events (event_id is empty).'`,

  // Both said "last read whole".
  `comment on column headcount.sync_state.checked_at is
    'When the service last answered for the list: in full, or with "not modified".'`,
  `comment on column headcount.list_status.checked_at is
    'When the service last answered for the list: in full, or with "not modified".'`,

  `comment on column headcount.api_observations.path is
    'What was observed: a field (response.rsvp), an item (slot), a list (responses) or a request (ping).'`,
  `comment on column headcount.api_observations.kind is 'Kind of observation, like value, unknown_field or status.'`,
  `comment on column headcount.api_observations.value is 'What was observed of it.'`,
  `comment on column headcount.api_observations.count is
    'How often: items for a field or an item, HTTP responses for a list or a request.'`,
]
