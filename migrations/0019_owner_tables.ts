/**
 * What the owner of a mirror says and no service knows: what a reply means, how many people a slot wants, in which zone an account
 * lives. And the secret of the pseudonyms, which no role but the owner may read, whatever was granted for all tables.
 */
export const ownerTables: readonly string[] = [
  `alter table headcount.accounts add column time_zone text not null default 'UTC'`,
  `comment on column headcount.accounts.time_zone is
    'The zone of days and months in the views (accounts set NAME --time-zone); the setting headcount.time_zone overrides it.'`,

  `create table headcount.rsvp_meanings (
    value text collate "C" primary key,
    meaning text not null check (meaning in ('coming', 'maybe', 'not_coming'))
  )`,
  `comment on table headcount.rsvp_meanings is
    'What a value of responses.rsvp means, matched exactly. Any other value, and a reply without one, is unknown. Filled by "headcount rsvp-meanings".'`,
  `comment on column headcount.rsvp_meanings.value is 'The reply as the service spells it (responses.rsvp).'`,
  `comment on column headcount.rsvp_meanings.meaning is 'coming, maybe or not_coming.'`,
  `insert into headcount.rsvp_meanings (value, meaning) values ('yes', 'coming'), ('maybe', 'maybe'), ('no', 'not_coming')`,

  `create table headcount.slot_targets (
    account_id int not null,
    event_id text collate "C",
    slot_name text,
    wanted int not null check (wanted > 0)
  )`,
  // A name or a title may be longer than what an index holds.
  `create or replace function headcount_internal.sha256_of(value text) returns bytea language sql immutable strict parallel safe as $$
    select sha256(convert_to(value, 'UTF8'))
  $$`,
  `comment on function headcount_internal.sha256_of(text) is 'SHA-256 of a text in UTF-8.'`,
  `create unique index slot_targets_key on headcount.slot_targets
     (account_id, event_id, headcount_internal.sha256_of(slot_name)) nulls not distinct`,
  `comment on table headcount.slot_targets is
    'How many people a slot wants. The most specific row counts: event and slot, slot, event, neither; without any, 2. Filled by "headcount slot-targets".'`,
  `comment on column headcount.slot_targets.account_id is 'The account (accounts.id).'`,
  `comment on column headcount.slot_targets.event_id is 'The event (events.id); NULL: every event.'`,
  `comment on column headcount.slot_targets.slot_name is 'Name of the slot, exactly (slots.name); NULL: every slot.'`,
  `comment on column headcount.slot_targets.wanted is 'People wanted.'`,

  `create table headcount.readers (
    role_name text collate "C" primary key,
    with_personal boolean not null,
    added_at timestamptz not null default now()
  )`,
  `comment on table headcount.readers is
    'Roles that may read: each migration grants them anew what they may see. Filled by "headcount readers".'`,
  `comment on column headcount.readers.role_name is 'Name of the role.'`,
  `comment on column headcount.readers.with_personal is 'Whether the role sees names, addresses and messages, too.'`,
  `comment on column headcount.readers.added_at is 'When it was added.'`,

  // A random UUID has 122 random bits.
  `create table headcount.person_id_secret (
    is_only boolean primary key default true check (is_only),
    secret bytea not null check (octet_length(secret) = 32)
  )`,
  `insert into headcount.person_id_secret (secret)
   select sha256(string_agg(uuid_send(gen_random_uuid()), '')) from generate_series(1, 4)`,
  `comment on table headcount.person_id_secret is 'From it and the e-mail key person_id is made. Only the owner may read it.'`,
  `comment on column headcount.person_id_secret.is_only is 'Lets the table have one row.'`,
  `comment on column headcount.person_id_secret.secret is '32 random bytes, made by the migration.'`,
  `do $$
   declare
     reader oid;
   begin
     for reader in
       select distinct granted.grantee
         from pg_class c, aclexplode(c.relacl) granted
        where c.oid = 'headcount.person_id_secret'::regclass and granted.grantee <> c.relowner
     loop
       execute format('revoke all on headcount.person_id_secret from %s', case reader when 0 then 'public' else reader::regrole::text end);
     end loop;
   end $$`,
]
