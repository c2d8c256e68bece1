/** Which run made a change, and whether that was only the first reading of what was there before the mirror. */
import { isShown } from './0012_account_setting.ts'

/** What is said of a row that is live, else of its last version. */
const lastKnown = (live: string, value: string, table: string, key: string, ids: string) =>
  `case when ${live} is not null then ${value}
        else (select last.document->>'${key}'
                from headcount.${table} last
               where ${ids}
               order by last.valid_to desc, last.ended_by_run_id desc
               limit 1) end`

/** For an insert; what an older version archived has no run, and is judged by its time. */
const isInitial = `
  case when c.change <> 'insert' then false
       when c.run_id is null then c.changed_at <= first_run.finished_at
       when c.run_id <= a.first_listed_run_id then c.run_id <= coalesce(s.first_applied_run_id, c.run_id)
       else c.run_id = s.first_applied_run_id and s.first_listed_run_id <= a.first_listed_run_id end`

export const runsOfChanges: readonly string[] = [
  `alter table headcount.accounts add column first_listed_run_id bigint`,
  `comment on column headcount.accounts.first_listed_run_id is
    'The first run that stored the list of events whole; NULL before. Of a mirror from before migration 18: its first run that did not fail.'`,
  `alter table headcount.sync_state add column first_listed_run_id bigint, add column first_applied_run_id bigint`,
  `comment on column headcount.sync_state.first_listed_run_id is
    'The first run that found the event listed, since it last came. Of a list from before migration 18: the account''s first run that did not fail.'`,
  `comment on column headcount.sync_state.first_applied_run_id is
    'The first run that stored the list whole; NULL before. Of a list from before migration 18: the account''s first run that did not fail.'`,
  ...['event_history', 'response_history'].flatMap((table) => [
    `alter table headcount.${table} add column begun_by_run_id bigint`,
    `comment on column headcount.${table}.begun_by_run_id is
      'The run that stored this version; NULL when it was archived before migration 18.'`,
  ]),

  `update headcount.accounts a
      set first_listed_run_id = (select min(r.id) from headcount.sync_runs r
                                  where r.account_id = a.id and r.mode in ('sync', 'backfill')
                                    and r.status in ('succeeded', 'partial', 'held') and not r.named_events_only)`,
  `update headcount.sync_state s
      set first_listed_run_id = a.first_listed_run_id,
          first_applied_run_id = case when s.checked_at is not null then a.first_listed_run_id end
     from headcount.accounts a
    where a.id = s.account_id`,

  `create or replace view headcount.response_documents as
    select r.account_id, r.event_id, r.id as response_id,
           jsonb_strip_nulls(jsonb_build_object(
             'id', r.id, 'name', r.name, 'email', r.email, 'message', r.message,
             'quantity', r.quantity, 'rsvp', r.rsvp,
             'created_at', headcount_internal.iso_utc(r.created_at),
             'updated_at', headcount_internal.iso_utc(r.updated_at),
             'amount', p.amount::text, 'processing_fee', p.processing_fee::text))
           || case
                when slots.document is not null then jsonb_build_object('slots', slots.document)
                when r.kind = 'signup' then '{"slots": []}'
                else '{}'
              end
           || coalesce(r._extra, '{}') as document,
           r._changed_at, r._run_id
      from headcount.responses r
      left join headcount.payments p
        on p.account_id = r.account_id and p.event_id = r.event_id and p.response_id = r.id
     cross join lateral (
       select jsonb_agg(
                jsonb_strip_nulls(jsonb_build_object(
                  'name', s.name,
                  'start_date', headcount_internal.iso_offset(s.start_date, s.start_local),
                  'end_date', headcount_internal.iso_offset(s.end_date, s.end_local)))
                || coalesce(s._extra, '{}')
                order by s.position) as document
         from headcount.slots s
        where s.account_id = r.account_id and s.event_id = r.event_id and s.response_id = r.id
     ) slots`,
  `comment on column headcount.response_documents._run_id is 'The run that stored this version (responses._run_id).'`,

  `create or replace view headcount.response_changes as
    select c.account_id, a.name as account, c.event_id, c.response_id, c.changed_at, c.change, c.field,
           c.old_value, c.new_value,
           ${lastKnown('e.id', 'e.title', 'event_history', 'title', 'last.account_id = c.account_id and last.event_id = c.event_id')} as event_title,
           ${lastKnown('r.id', 'r.name', 'response_history', 'name', 'last.account_id = c.account_id and last.event_id = c.event_id and last.response_id = c.response_id')} as name,
           coalesce(${isInitial}, false) as initial,
           c.run_id
      from (
        select h.account_id, h.event_id, h.response_id, h.valid_to as changed_at, 'update' as change, key.field,
               h.document->>key.field as old_value, next.document->>key.field as new_value, h.ended_by_run_id as run_id
          from headcount.response_history h
         cross join lateral (
           select coalesce(
                    (select later.document
                       from headcount.response_history later
                      where later.account_id = h.account_id and later.event_id = h.event_id
                        and later.response_id = h.response_id and later.valid_from = h.valid_to
                        and (later.valid_from, later.ended_by_run_id) > (h.valid_from, h.ended_by_run_id)
                      order by later.ended_by_run_id
                      limit 1),
                    (select headcount_internal.response_document(r)
                       from headcount.responses r
                      where r.account_id = h.account_id and r.event_id = h.event_id and r.id = h.response_id
                        and r._changed_at = h.valid_to)) as document
           offset 0
         ) next
         cross join lateral jsonb_object_keys(h.document || next.document) key (field)
         where h.operation = 'update' and h.document->key.field is distinct from next.document->key.field
        union all
        select h.account_id, h.event_id, h.response_id, h.valid_to, 'delete', null, h.document::text, null,
               h.ended_by_run_id
          from headcount.response_history h
         where h.operation = 'delete'
        union all
        select h.account_id, h.event_id, h.response_id, h.valid_from, 'insert', null, null, h.document::text,
               h.begun_by_run_id
          from headcount.response_history h
         where not exists (
                 select from headcount.response_history former
                  where former.account_id = h.account_id and former.event_id = h.event_id
                    and former.response_id = h.response_id and former.operation = 'update'
                    and former.valid_to = h.valid_from
                    and (former.valid_from, former.ended_by_run_id) < (h.valid_from, h.ended_by_run_id))
        union all
        select r.account_id, r.event_id, r.id, r._changed_at, 'insert', null, null,
               headcount_internal.response_document(r)::text, r._run_id
          from headcount.responses r
         where r._changed_at = r._first_seen_at
           and not exists (
                 select from headcount.response_history former
                  where former.account_id = r.account_id and former.event_id = r.event_id
                    and former.response_id = r.id and former.operation = 'update'
                    and former.valid_to = r._changed_at)
      ) c
      join headcount.accounts a on a.id = c.account_id and c.changed_at > coalesce(a._history_from, '-infinity')
      left join headcount.events e on e.account_id = c.account_id and e.id = c.event_id
      left join headcount.responses r
        on r.account_id = c.account_id and r.event_id = c.event_id and r.id = c.response_id
      left join headcount.sync_state s on s.account_id = c.account_id and s.event_id = c.event_id
      left join headcount.sync_runs first_run on first_run.id = a.first_listed_run_id
     where ${isShown('c')}`,
  `comment on column headcount.response_changes.event_title is 'Title of the event now, else the last one known.'`,
  `comment on column headcount.response_changes.name is 'The name in the response now, else the last one known.'`,
  `comment on column headcount.response_changes.initial is
    'Whether this insert is only the first reading of what was there before the mirror, and no news; false of all else.'`,
  `comment on column headcount.response_changes.run_id is
    'The run that stored the change (sync_runs.id); NULL of inserts that were archived before migration 18.'`,
]
