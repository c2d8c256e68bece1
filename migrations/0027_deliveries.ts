/** To whom digests are sent, and up to which run each recipient has them. */
export const deliveries: readonly string[] = [
  `create table headcount.deliveries (
    id bigint generated always as identity primary key,
    account_id int not null,
    kind text not null check (kind in ('digest', 'notice')),
    name text collate "C" not null,
    event_id text collate "C",
    recipient_sha256 text not null,
    recipient text not null,
    message_key uuid not null default gen_random_uuid(),
    delivered_run_id bigint,
    pending_run_id bigint,
    accepted_at timestamptz,
    failures int not null default 0,
    error_message text,
    failed_at timestamptz,
    next_attempt_at timestamptz,
    claim uuid,
    claimed_until timestamptz
  )`,
  `create unique index deliveries_recipient on headcount.deliveries
     (account_id, kind, name, event_id, recipient_sha256) nulls not distinct`,
  `comment on table headcount.deliveries is
    'One row for each digest and each of its recipients: up to which run it was accepted, and what failed since.'`,
  `comment on column headcount.deliveries.id is 'Number of the row.'`,
  `comment on column headcount.deliveries.account_id is 'The account that is told of (accounts.id).'`,
  `comment on column headcount.deliveries.kind is 'digest: what changed; notice: how the mirror stands.'`,
  `comment on column headcount.deliveries.name is 'Name of the digest ("headcount digest --name"); of a notice "mirror".'`,
  `comment on column headcount.deliveries.event_id is 'The one event of which it tells (events.id); NULL: of all events.'`,
  `comment on column headcount.deliveries.recipient_sha256 is
    'SHA-256 of the whole address, in hexadecimal digits: an address of a chat is a secret, and is not kept.'`,
  `comment on column headcount.deliveries.recipient is
    'The address as it may be shown: of a mail whole, of the web without its path; stdout of a digest that is printed.'`,
  `comment on column headcount.deliveries.message_key is
    'What the Message-IDs are made from, together with the runs that a message tells of.'`,
  `comment on column headcount.deliveries.delivered_run_id is
    'The last run (sync_runs.id) of which an accepted message told; NULL before the first one.'`,
  `comment on column headcount.deliveries.pending_run_id is
    'The last run of a message that may have been accepted, although nobody heard so: it is sent again as it was. Else NULL.'`,
  `comment on column headcount.deliveries.accepted_at is
    'When the server of the recipient accepted the last message; NULL before the first one.'`,
  `comment on column headcount.deliveries.failures is 'How often in a row it could not be delivered.'`,
  `comment on column headcount.deliveries.error_message is 'Why not, the last time; NULL while all is well.'`,
  `comment on column headcount.deliveries.failed_at is 'When that was; NULL while all is well.'`,
  `comment on column headcount.deliveries.next_attempt_at is 'When it is tried again; NULL while all is well.'`,
  `comment on column headcount.deliveries.claim is 'Random name of the process that is sending it; NULL while nobody is.'`,
  `comment on column headcount.deliveries.claimed_until is
    'From then on another process may send it, for the one that claimed it has died; NULL while nobody sends it.'`,
]
