/**
 * The setting of a transaction that bounds what views show to one account: `set local headcount.account = 'north'`. A convenience and
 * no protection. Each part is a subquery of its own, evaluated once; inside a view it needs no right of whoever asks.
 */
export const isShown = (
  row: string,
) => `((select coalesce(current_setting('headcount.account', true), '') = '')
         or ${row}.account_id = (select a.id from headcount.accounts a
                                  where a.name = current_setting('headcount.account', true)))`

export const accountSetting: readonly string[] = [
  `create or replace view headcount.response_details as
    select r.account_id, r.event_id, e.title as event_title, e.event_at, r.id as response_id, r.kind,
           r.name, r.email, r.message, r.quantity, r.rsvp, p.amount, p.processing_fee,
           (select count(*)
              from headcount.slots s
             where s.account_id = r.account_id and s.event_id = r.event_id and s.response_id = r.id) as slot_count,
           r.created_at, r.updated_at
      from headcount.responses r
      left join headcount.events e on e.account_id = r.account_id and e.id = r.event_id
      left join headcount.payments p
        on p.account_id = r.account_id and p.event_id = r.event_id and p.response_id = r.id
     where ${isShown('r')}`,

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
     ) rejects
     where ${isShown('s')}`,

  `create or replace view headcount.set_aside as
    select e.account_id, e.id as event_id, null::bigint as response_id, null::int as position, key.field,
           e._extra->key.field as value
      from headcount.events e
     cross join unnest('{title,event_at,description,event_type,location}'::text[]) key (field)
     where e._extra ? key.field and ${isShown('e')}
    union all
    select r.account_id, r.event_id, r.id, null, key.field, r._extra->key.field
      from headcount.responses r
     cross join unnest('{name,email,message,quantity,rsvp,created_at,updated_at,amount,processing_fee,slots}'::text[])
                key (field)
     where r._extra ? key.field and ${isShown('r')}
    union all
    select s.account_id, s.event_id, s.response_id, s.position, key.field, s._extra->key.field
      from headcount.slots s
     cross join unnest('{name,start_date,end_date}'::text[]) key (field)
     where s._extra ? key.field and ${isShown('s')}`,

  `create or replace view headcount.response_changes as
    select h.account_id, a.name as account, h.event_id, h.response_id, h.valid_to as changed_at,
           'update' as change, key.field, h.document->>key.field as old_value, next.document->>key.field as new_value
      from headcount.response_history h
      join headcount.accounts a on a.id = h.account_id and h.valid_to > coalesce(a._history_from, '-infinity')
     cross join lateral (
       select coalesce(
                (select later.document
                   from headcount.response_history later
                  where later.account_id = h.account_id and later.event_id = h.event_id
                    and later.response_id = h.response_id and later.valid_from = h.valid_to
                    and (later.valid_from, later.ended_by_run_id) > (h.valid_from, h.ended_by_run_id)
                  order by later.ended_by_run_id
                  limit 1),
                (select headcount.response_document(r)
                   from headcount.responses r
                  where r.account_id = h.account_id and r.event_id = h.event_id and r.id = h.response_id
                    and r._changed_at = h.valid_to)) as document
       offset 0
     ) next
     cross join lateral jsonb_object_keys(h.document || next.document) key (field)
     where h.operation = 'update' and ${isShown('h')}
       and h.document->key.field is distinct from next.document->key.field
    union all
    select h.account_id, a.name, h.event_id, h.response_id, h.valid_to, 'delete', null, h.document::text, null
      from headcount.response_history h
      join headcount.accounts a on a.id = h.account_id and h.valid_to > coalesce(a._history_from, '-infinity')
     where h.operation = 'delete' and ${isShown('h')}
    union all
    select h.account_id, a.name, h.event_id, h.response_id, h.valid_from, 'insert', null, null, h.document::text
      from headcount.response_history h
      join headcount.accounts a on a.id = h.account_id and h.valid_from > coalesce(a._history_from, '-infinity')
     where ${isShown('h')} and not exists (
             select from headcount.response_history former
              where former.account_id = h.account_id and former.event_id = h.event_id
                and former.response_id = h.response_id and former.operation = 'update'
                and former.valid_to = h.valid_from
                and (former.valid_from, former.ended_by_run_id) < (h.valid_from, h.ended_by_run_id))
    union all
    select r.account_id, a.name, r.event_id, r.id, r._changed_at, 'insert', null, null,
           headcount.response_document(r)::text
      from headcount.responses r
      join headcount.accounts a on a.id = r.account_id and r._changed_at > coalesce(a._history_from, '-infinity')
     where r._changed_at = r._first_seen_at and ${isShown('r')}
       and not exists (
             select from headcount.response_history former
              where former.account_id = r.account_id and former.event_id = r.event_id
                and former.response_id = r.id and former.operation = 'update'
                and former.valid_to = r._changed_at)`,
]
