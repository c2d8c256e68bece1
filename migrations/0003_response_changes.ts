/**
 * What changed when. Versions of one response follow each other by time and, where a clock was set back, by the
 * number of the run. A gap that no run made (a row taken out by hand) is no change. What was before the horizon of
 * `prune` is not told at all: a version whose predecessor was pruned would look like one that came new.
 */
export const responseChanges: readonly string[] = [
  `create view headcount.response_changes as
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
     where h.operation = 'update'
       and h.document->key.field is distinct from next.document->key.field
    union all
    select h.account_id, a.name, h.event_id, h.response_id, h.valid_to, 'delete', null, h.document::text, null
      from headcount.response_history h
      join headcount.accounts a on a.id = h.account_id and h.valid_to > coalesce(a._history_from, '-infinity')
     where h.operation = 'delete'
    union all
    select h.account_id, a.name, h.event_id, h.response_id, h.valid_from, 'insert', null, null, h.document::text
      from headcount.response_history h
      join headcount.accounts a on a.id = h.account_id and h.valid_from > coalesce(a._history_from, '-infinity')
     where not exists (
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
     where r._changed_at = r._first_seen_at
       and not exists (
             select from headcount.response_history former
              where former.account_id = r.account_id and former.event_id = r.event_id
                and former.response_id = r.id and former.operation = 'update'
                and former.valid_to = r._changed_at)`,
]
