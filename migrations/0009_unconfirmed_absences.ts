/**
 * Rows that one reading of a list in several pages lacked: the list may have changed between two pages. They stay live
 * until a second reading lacks them too.
 */
export const unconfirmedAbsences: readonly string[] = [
  `alter table headcount.sync_state add column unconfirmed_absences jsonb`,
  `comment on column headcount.sync_state.unconfirmed_absences is
    'Ids of live rows that the last reading of the list lacked, which came in several pages; NULL when there are none. They are deleted when the next reading lacks them too.'`,
]
