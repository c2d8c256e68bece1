/**
 * What a run remembers beyond version 1: when a list was last read whole (a validator is trusted for a day only),
 * which backfill a run belongs to, how far back history reaches, and the rejects that the owner can live with.
 */
export const bookkeeping: readonly string[] = [
  `alter table headcount.sync_state add column read_at timestamptz`,
  `comment on column headcount.sync_state.read_at is
    'When the body of the list was last read whole; an answer "not modified" does not move it.'`,

  `alter table headcount.sync_runs add column backfill_id bigint`,
  `comment on column headcount.sync_runs.backfill_id is
    'Of a backfill of the whole account: its own id, or that of the interrupted backfill which it continues.'`,

  `alter table headcount.accounts add column _history_from timestamptz`,
  `comment on column headcount.accounts._history_from is
    'Former versions that ended before this moment were pruned; NULL when history is whole.'`,

  `create table headcount.reject_acceptances (
    account_id int not null,
    event_id text collate "C",
    sha256 text not null,
    accepted_at timestamptz not null default now(),
    unique nulls not distinct (account_id, event_id, sha256)
  )`,
  `comment on table headcount.reject_acceptances is
    'Rejects that the owner can live with: until the item changes they are listed, but no cause for exit code 8.'`,
  `comment on column headcount.reject_acceptances.account_id is 'The account (accounts.id).'`,
  `comment on column headcount.reject_acceptances.event_id is
    'The event whose list holds the item; NULL for the list of events.'`,
  `comment on column headcount.reject_acceptances.sha256 is
    'SHA-256 of the item as it was accepted, in hexadecimal (rejects.sha256).'`,
  `comment on column headcount.reject_acceptances.accepted_at is 'When it was accepted.'`,

  `create or replace view headcount.freshness as
    select s.account_id, a.name as account, s.event_id, e.title as event_title, s.checked_at, s.next_check_at,
           s.held_count as held, s.held_since, rejects.rejected,
           s.set_aside, s.error_code is not null as failing, s.failed_at, s.error_code, s.error_message,
           rejects.accepted
      from headcount.sync_state s
      join headcount.accounts a on a.id = s.account_id
      left join headcount.events e on e.account_id = s.account_id and e.id = s.event_id
     cross join lateral (
       select count(*) filter (where k.sha256 is null) as rejected, count(k.sha256) as accepted
         from headcount.rejects j
         left join headcount.reject_acceptances k
           on k.account_id = j.account_id and k.event_id is not distinct from j.event_id and k.sha256 = j.sha256
        where j.account_id = s.account_id and j.event_id is not distinct from nullif(s.event_id, '')
     ) rejects`,
  `comment on column headcount.freshness.rejected is 'Items that cannot be stored and were not accepted.'`,
  `comment on column headcount.freshness.accepted is 'Items that cannot be stored, accepted by the owner (rejects accept).'`,
]
