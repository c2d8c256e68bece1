/** Addresses under which "headcount serve" shows one table or view without a key, to a spreadsheet or a calendar. */
export const links: readonly string[] = [
  `create table headcount.links (
    id bigint generated always as identity primary key,
    account_id int not null,
    sha256 text not null unique,
    view text not null,
    format text not null check (format in ('csv', 'html', 'ics', 'json')),
    event_id text collate "C",
    with_personal boolean not null,
    label text,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    last_used_on date,
    revoked_at timestamptz
  )`,
  `comment on table headcount.links is
    'Addresses under which this mirror shows a table or view without a key. Filled by "headcount links create".'`,
  `comment on column headcount.links.id is 'Number of the link, as "headcount links" shows it.'`,
  `comment on column headcount.links.account_id is 'The account whose rows it shows (accounts.id).'`,
  `comment on column headcount.links.sha256 is
    'SHA-256 of the secret part of the address, in hexadecimal digits; the address itself is not kept.'`,
  `comment on column headcount.links.view is 'The table or view.'`,
  `comment on column headcount.links.format is 'csv, html, ics or json.'`,
  `comment on column headcount.links.event_id is 'The one event whose rows it shows (events.id); NULL: of all events.'`,
  `comment on column headcount.links.with_personal is 'Whether it shows names, addresses and messages.'`,
  `comment on column headcount.links.label is 'What it is for, in the words of who made it.'`,
  `comment on column headcount.links.created_at is 'When it was made.'`,
  `comment on column headcount.links.expires_at is 'When it stops working; NULL: never.'`,
  `comment on column headcount.links.last_used_on is 'Day of its last use, in UTC; NULL: never.'`,
  `comment on column headcount.links.revoked_at is 'When it was revoked; NULL: it was not.'`,
]
