/**
 * A digest in doubt is sent again with the state of the mirror that it told: of a later one it would be another message. The type json keeps
 * the order of the fields, so that the message has the same bytes.
 */
export const pendingMirror: readonly string[] = [
  `alter table headcount.deliveries add column pending_mirror json`,
  `comment on column headcount.deliveries.pending_mirror is
    'How the mirror stood, in numbers, when the message of pending_run_id was made; NULL without one.'`,
  `comment on column headcount.deliveries.pending_run_id is
    'The last run of a message that may have been accepted, although nobody heard so: the same runs are told again. Else NULL.'`,
  `comment on column headcount.deliveries.message_key is
    'What the Message-IDs are made from, together with the runs that a message tells of and with what it says.'`,
]
