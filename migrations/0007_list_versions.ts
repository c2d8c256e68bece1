/**
 * What is served of a list has a version of its own. Until now it was the digest of the list, which says what the service
 * sent, and not which rows of it are live: those of events that failed, and those changed by hand, came later under the same
 * digest. A random number is never given twice, also when a backup is restored and the account moves on in another way.
 */
export const listVersions: readonly string[] = [
  // Every list that is there gets one: a default that differs from row to row writes the table anew.
  `alter table headcount.sync_state add column list_version uuid not null default gen_random_uuid()`,
  `comment on column headcount.sync_state.list_version is
    'What "headcount serve" shows of the list: another one whenever rows that it shows are written, in the same transaction. Rows changed by hand keep it until backfill mends them.'`,
  `comment on column headcount.sync_state.digest is
    'SHA-256 over the version of our normaliser and the body of the list; NULL unless the rows are what that body says.'`,
  // It was kept beside events that had failed, whose rows may be of another day.
  `update headcount.sync_state list
      set digest = null
    where list.event_id = ''
      and exists (
        select from headcount.sync_state event
         where event.account_id = list.account_id and event.event_id <> ''
           and (event.error_code is not null or event.checked_at is null))`,
]
