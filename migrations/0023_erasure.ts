/**
 * People who were erased on request. The list holds keyed hashes of addresses, not addresses: whoever has the database alone cannot tell
 * whose they are. The ids of the responses are there, too, so that a changed address brings nobody back.
 */
export const erasure: readonly string[] = [
  `alter table headcount.sync_runs drop constraint sync_runs_mode_check`,
  `alter table headcount.sync_runs add constraint sync_runs_mode_check
    check (mode in ('sync', 'backfill', 'rename', 'remove', 'erase'))`,
  `comment on column headcount.sync_runs.mode is
    'sync or backfill; erase: a person was erased or restored; rename or remove: the account was held for that.'`,

  `alter table headcount.sync_state add column rewrite_due boolean not null default false`,
  `comment on column headcount.sync_state.rewrite_due is
    'Whether the rows are made anew at the next reading although the list is unchanged: a person was restored.'`,

  `create table headcount.suppressions (
    id bigint generated always as identity primary key,
    account_id int not null,
    email_hash bytea check (octet_length(email_hash) = 32),
    key_check text not null,
    added_at timestamptz not null default now(),
    erased_at timestamptz
  )`,
  `create unique index suppressions_key on headcount.suppressions (account_id, email_hash)`,
  `comment on table headcount.suppressions is
    'People who were erased: their responses are stored without personal data. Filled by "headcount person erase".'`,
  `comment on column headcount.suppressions.id is 'Number of the entry.'`,
  `comment on column headcount.suppressions.account_id is 'The account (accounts.id).'`,
  `comment on column headcount.suppressions.email_hash is
    'HMAC-SHA-256 of the e-mail key, with the key of HEADCOUNT_PERSON_KEY_FILE, which is never here; NULL when that key is lost.'`,
  `comment on column headcount.suppressions.key_check is
    'By which the key is recognised: the first half of an HMAC of a fixed text.'`,
  `comment on column headcount.suppressions.added_at is 'When the person was erased first.'`,
  `comment on column headcount.suppressions.erased_at is
    'When everything that was held was erased; NULL while that is under way, or was broken off: the next run goes on.'`,

  `create table headcount.suppressed_responses (
    account_id int not null,
    event_id text collate "C" not null,
    response_id bigint not null,
    suppression_id bigint not null references headcount.suppressions on delete cascade,
    primary key (account_id, event_id, response_id, suppression_id)
  )`,
  `create index suppressed_responses_suppression on headcount.suppressed_responses (suppression_id)`,
  `comment on table headcount.suppressed_responses is
    'Responses of erased people. They stay without personal data whatever their address becomes.'`,
  `comment on column headcount.suppressed_responses.account_id is 'The account (accounts.id).'`,
  `comment on column headcount.suppressed_responses.event_id is 'The event (events.id).'`,
  `comment on column headcount.suppressed_responses.response_id is 'The response (responses.id).'`,
  `comment on column headcount.suppressed_responses.suppression_id is 'Whose it is (suppressions.id).'`,
]
