/** What the recipients of notices were told of the mirror's state. */
export const notices: readonly string[] = [
  `alter table headcount.deliveries add column state text
    check (state in ('good', 'failed', 'partial', 'held_too_long', 'stale'))`,
  `alter table headcount.deliveries add column cause text`,
  `alter table headcount.deliveries add column told jsonb not null default '{}'`,
  `comment on column headcount.deliveries.state is
    'Of a notice: the state of the mirror that was told last: good, failed, partial, held_too_long or stale. NULL of a digest.'`,
  `comment on column headcount.deliveries.cause is
    'Of a notice of a failed run: the code of the error, as "unreachable"; else NULL.'`,
  `comment on column headcount.deliveries.told is
    'Of a notice: when each state, with its cause, was told last: the same one at most once an hour.'`,
]
