/**
 * Functions that only views and other functions call move to a schema of their own: in `headcount` stay those for people.
 * The bodies name what they call, so those that call one of them are written anew. Everybody may use the schema: the
 * functions run with the rights of their caller, and roles that read the mirror need no further grant.
 */
const internal = [
  'account_at',
  'default_account',
  'event_document',
  'is_paid',
  'is_wall_clock',
  'iso_offset',
  'iso_utc',
  'iso_wall_clock',
  'kind_of',
  'response_document',
  'stored_amount',
  'stored_bigint',
  'stored_instant',
  'stored_slot_time',
  'stored_slots',
  'stored_text',
] as const

const names = internal.map((name) => `'${name}'`).join(', ')

export const internalFunctions: readonly string[] = [
  `do $$
   begin
     if exists (select from pg_namespace where nspname = 'headcount_internal') then
       return;
     elsif not has_database_privilege(current_database(), 'create') then
       raise exception using errcode = '42501', message = format(
         'this version needs a second schema, headcount_internal, and %1$I may not create it: as a superuser run "create schema headcount_internal authorization %1$I"',
         current_user);
     end if;
     create schema headcount_internal;
   end $$`,
  `comment on schema headcount_internal is 'Functions that the views and functions of the schema headcount call.'`,
  `grant usage on schema headcount_internal to public`,
  // One that stands there already was left behind when only the schema headcount was dropped.
  `do $$
   declare
     moved record;
     definition text;
   begin
     for moved in
       select proname as name, pg_get_function_identity_arguments(oid) as arguments
         from pg_proc
        where pronamespace = 'headcount'::regnamespace and proname in (${names})
     loop
       execute format('drop function if exists headcount_internal.%I(%s)', moved.name, moved.arguments);
       execute format('alter function headcount.%I(%s) set schema headcount_internal', moved.name, moved.arguments);
     end loop;
     for definition in
       select regexp_replace(pg_get_functiondef(p.oid), '\\mheadcount\\.(${internal.join('|')})\\(', 'headcount_internal.\\1(', 'g')
         from pg_proc p
        where p.pronamespace in ('headcount'::regnamespace, 'headcount_internal'::regnamespace)
          and p.prokind = 'f' and p.prosrc ~ '\\mheadcount\\.(${internal.join('|')})\\('
     loop
       execute definition;
     end loop;
   end $$`,
]
