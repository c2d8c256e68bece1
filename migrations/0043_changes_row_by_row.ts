/**
 * The views of changes whole: the same rows as since migration 42, and what belongs to a change is looked up row by row in an index, as a subquery
 * that the planner makes no join of. Between a large run and the visit of autovacuum the statistics are older than the rows. Then the planner
 * expected a handful of changes, and compared each of them with all of history, or with all events: minutes in place of seconds.
 */
import { isShown } from './0012_account_setting.ts'
import { changedField, events as eventItems, type Items } from './0020_changes.ts'
import { personId } from './0020_view.ts'
import { fittingTransitions } from './0032_fitting_values.ts'
import { late } from './0042_late_documents.ts'

/** What is read of one kind of item. */
interface Source extends Items {
  readonly entity: 'event' | 'response'
  /** Whether the insert `c` is a first reading, by its run. */
  readonly isFirstReading: string
}

/** Whether the state of the list of its event says so of a change `c`. */
const stateSays = (condition: string) => `exists (
                         select from headcount.sync_state s
                          where s.account_id = c.account_id and s.event_id = c.event_id and ${condition})`
const isFirstOfLaterList = stateSays(
  's.first_applied_run_id = c.run_id and s.first_listed_run_id <= a.first_listed_run_id',
)

const events: Source = {
  ...eventItems,
  entity: 'event',
  isFirstReading: `case when c.run_id <= a.first_listed_run_id then true else ${isFirstOfLaterList} end`,
}

const responses: Source = {
  ...late,
  entity: 'response',
  isFirstReading: `case when c.run_id <= a.first_listed_run_id then not ${stateSays('s.first_applied_run_id < c.run_id')}
                       else ${isFirstOfLaterList} end`,
}

/** Each change of an item, with the document before it and after it; `offset 0` keeps a look from becoming a join. */
const transitions = ({ history, same, responseId, former = 'h.document', live, came }: Items) => `
        select h.account_id, h.event_id, ${responseId('h')} as response_id, h.valid_to as changed_at, 'update' as change,
               ${former} as former, next.document, h.ended_by_run_id as run_id
          from headcount.${history} h
         cross join lateral (
           select coalesce(
                    (select later.document
                       from headcount.${history} later
                      where ${same('later', 'h')} and later.valid_from = h.valid_to
                        and (later.valid_from, later.ended_by_run_id) > (h.valid_from, h.ended_by_run_id)
                      order by later.ended_by_run_id
                      limit 1),
                    (select now_live.document
                       from ${live} now_live
                      where ${same('now_live', 'h')} and now_live._changed_at = h.valid_to)) as document
           offset 0
         ) next
         where h.operation = 'update'
        union all
        select h.account_id, h.event_id, ${responseId('h')}, h.valid_to, 'delete', h.document, null, h.ended_by_run_id
          from headcount.${history} h
         where h.operation = 'delete'
        union all
        select h.account_id, h.event_id, ${responseId('h')}, h.valid_from, 'insert', null, h.document, h.begun_by_run_id
          from headcount.${history} h
         where not exists (
                 select from headcount.${history} before
                  where ${same('before', 'h')} and before.operation = 'update' and before.valid_to = h.valid_from
                    and (before.valid_from, before.ended_by_run_id) < (h.valid_from, h.ended_by_run_id)
                 offset 0)
        union all
        select l.account_id, l.event_id, l.response_id, l._changed_at, 'insert', null, l.document, l._run_id
          from ${came?.rows ?? live} l
         where l._changed_at = l._first_seen_at
           and not exists (
                 select from headcount.${history} before
                  where ${same('before', 'l')} and before.operation = 'update' and before.valid_to = l._changed_at
                 offset 0)`

/** The account `a` of a change `c`, when the change is not from before the horizon of prune, and the run that first listed its events. */
const account = `join headcount.accounts a on a.id = c.account_id and c.changed_at > coalesce(a._history_from, '-infinity')
          left join headcount.sync_runs first_run on first_run.id = a.first_listed_run_id`

/** Whether the change `c` is an insert that the first reading of its list made; what an older version archived has no run, and is judged by its time. */
const isFirstReading = (byRun: string) => `coalesce(
             case when c.change <> 'insert' then false
                  when c.run_id is null then c.changed_at <= first_run.finished_at
                  else ${byRun} end, false)`

/** A value of the event of a change `c`: now, else of its last version. A row is an array here, for a value of the event may be NULL. */
const ofEvent = (column: string, stored: string) => `
               (coalesce(
                  (select array[e.${column}] from headcount.events e where e.account_id = c.account_id and e.id = c.event_id),
                  (select array[${stored}(last.document->'${column}')]
                     from headcount.event_history last
                    where last.account_id = c.account_id and last.event_id = c.event_id
                    order by last.valid_to desc, last.ended_by_run_id desc
                    limit 1)))[1]`
const eventTitle = ofEvent('title', 'headcount_internal.stored_text')
const eventAt = ofEvent('event_at', 'headcount_internal.stored_instant')

const responseChanges = `
    select c.account_id, a.name as account, c.event_id, c.response_id, c.changed_at, c.change, changed.field,
           case c.change when 'update' then c.former->>changed.field else c.former::text end as old_value,
           case c.change when 'update' then c.document->>changed.field
                         when 'insert' then coalesce(c.document, ${late.came.document})::text end as new_value,${eventTitle} as event_title,
           case when r.id is not null then r.name
                else (select last.document->>'name'
                        from headcount.response_history last
                       where last.account_id = c.account_id and last.event_id = c.event_id and last.response_id = c.response_id
                       order by last.valid_to desc, last.ended_by_run_id desc
                       limit 1) end as name,
           ${isFirstReading(responses.isFirstReading)} as initial, c.run_id
      from (${transitions(responses)}
      ) c
      ${account}
      ${changedField}
      left join headcount.responses r
        on r.account_id = c.account_id and r.event_id = c.event_id and r.id = c.response_id
     where (c.change <> 'update' or changed.field is not null) and ${isShown('c')}`

/** @param changes as `transitions` gives them */
const eventChanges = (changes: string) => `
    select c.account_id, a.name as account, c.event_id,${eventTitle} as event_title,${eventAt} as event_at,
           c.changed_at, c.run_id, c.change,
           case c.change
             when 'delete' then 'removed'
             when 'insert' then
               case when exists (
                      select from headcount.event_history before
                       where before.account_id = c.account_id and before.event_id = c.event_id
                         and before.operation = 'delete' and before.valid_to <= c.changed_at
                         and (c.run_id is null or before.ended_by_run_id < c.run_id))
                    then 'returned' else 'announced' end
             else case changed.field when 'event_at' then 'moved' when 'title' then 'renamed' when 'location' then 'relocated'
                                     else 'edited' end
           end as what,
           changed.field,
           case c.change when 'update' then c.former->>changed.field else c.former::text end as old_value,
           case c.change when 'update' then c.document->>changed.field else c.document::text end as new_value,
           ${isFirstReading(events.isFirstReading)} as initial
      from (${changes}
      ) c
      ${account}
      ${changedField}
     where (c.change <> 'update' or changed.field is not null) and ${isShown('c')}`

/** Changes of one kind of item, as `changes` shows them. */
const items = (from: Source) => `
        select c.account_id, a.name as account, c.run_id, c.changed_at, '${from.entity}' as entity, c.event_id, c.response_id,
               c.change, ${isFirstReading(from.isFirstReading)} as initial,${eventTitle} as event_title,${eventAt} as event_at,
               changed.fields, coalesce(c.document, c.former${from.came === undefined ? '' : `, ${from.came.document}`}) as record,
               changed.former
          from (${transitions(from)}
          ) c
          ${account}
          left join lateral (
            select array_agg(key.field order by key.field collate "C") as fields,
                   jsonb_object_agg(key.field, coalesce(c.former->key.field, 'null')) as former
              from jsonb_object_keys(case when c.change = 'update' then c.former || c.document end) key (field)
             where c.former->key.field is distinct from c.document->key.field
          ) changed on true
         where (c.change <> 'update' or changed.fields is not null) and ${isShown('c')}`

const changes = `
    select c.account_id, c.account, c.run_id,
           (select run.finished_at from headcount.sync_runs run where run.id = c.run_id) as run_finished_at,
           c.changed_at, c.entity, c.event_id,
           c.response_id, c.change, c.initial, c.event_title, c.event_at,
           case when c.entity = 'response'
                then ${personId('c.account_id', "headcount.email_key(headcount_internal.stored_text(c.record->'email'))")} end
             as person_id,
           c.fields, c.record, c.former
      from (${items(events)}
        union all${items(responses)}
      ) c`

export const changesRowByRow: readonly string[] = [
  `create or replace view headcount.response_changes as${responseChanges}`,
  `create or replace view headcount.event_changes as${eventChanges(transitions(events))}`,
  `create or replace view headcount.event_changes_without_personal as${eventChanges(fittingTransitions(transitions(events)))}`,
  `create or replace view headcount.changes as${changes}`,
]
