/**
 * What changed when, from history and the live tables. Versions of one item follow each other by time and, where a clock was set
 * back, by the number of the run. A gap that no run made (a row taken out by hand) is no change. What was before the horizon of
 * `prune` is not told at all: a version whose predecessor was pruned would look like one that came new.
 *
 * The document of a live row is read through a view: a function would read the tables with the rights of whoever asks.
 */
import { isShown } from './0012_account_setting.ts'
import { personId, view } from './0020_view.ts'

export interface Items {
  readonly history: string
  /** The document before an update, of a row `h` of history and the version `next`. */
  readonly former?: string
  /** Condition that two rows `a` and `b` are versions of the same item. */
  readonly same: (a: string, b: string) => string
  /** `response_id` of a row of history. */
  readonly responseId: (row: string) => string
  /** Live items as account_id, event_id, response_id, document, _changed_at, _first_seen_at, _run_id. */
  readonly live: string
  /** Of live items that came: their rows without a document, and the document of a change `c` of such an item. */
  readonly came?: { readonly rows: string; readonly document: string }
}

export const events: Items = {
  history: 'event_history',
  same: (a, b) => `${a}.account_id = ${b}.account_id and ${a}.event_id = ${b}.event_id`,
  responseId: () => 'null::bigint',
  live: `(
          select v.account_id, v.id as event_id, null::bigint as response_id,
                 jsonb_strip_nulls(jsonb_build_object(
                   'id', v.id, 'title', v.title, 'event_at', headcount_internal.iso_utc(v.event_at),
                   'description', v.description, 'event_type', v.event_type, 'location', v.location))
                 || coalesce(v._extra, '{}') as document, v._changed_at, v._first_seen_at, v._run_id
            from headcount.events v)`,
}

export const responses: Items = {
  history: 'response_history',
  same: (a, b) =>
    `${a}.account_id = ${b}.account_id and ${a}.event_id = ${b}.event_id and ${a}.response_id = ${b}.response_id`,
  responseId: (row) => `${row}.response_id`,
  live: `(
          select v.account_id, v.event_id, v.id as response_id, d.document, v._changed_at, v._first_seen_at, v._run_id
            from headcount.responses v
            join headcount.response_documents d
              on d.account_id = v.account_id and d.event_id = v.event_id and d.response_id = v.id)`,
}

/** Each change of an item, with the document before it and after it. `offset 0` lets a document be read once, and only when it is asked for. */
const transitions = ({ history, former = 'h.document', same, responseId, live, came }: Items) => `
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
                    and (before.valid_from, before.ended_by_run_id) < (h.valid_from, h.ended_by_run_id))
        union all
        select l.account_id, l.event_id, l.response_id, l._changed_at, 'insert', null, l.document, l._run_id
          from ${came?.rows ?? live} l
         where l._changed_at = l._first_seen_at
           and not exists (
                 select from headcount.${history} before
                  where ${same('before', 'l')} and before.operation = 'update' and before.valid_to = l._changed_at)`

/** The account `a` of a change `c`, when the change is not from before the horizon of prune. */
const account = `join headcount.accounts a on a.id = c.account_id and c.changed_at > coalesce(a._history_from, '-infinity')`

/** A value of the event of a change: now, else of its last version. */
const lastOfEvent = (column: string, stored: string) => `
           case when e.id is not null then e.${column}
                else (select ${stored}(last.document->'${column}')
                        from headcount.event_history last
                       where last.account_id = c.account_id and last.event_id = c.event_id
                       order by last.valid_to desc, last.ended_by_run_id desc
                       limit 1) end`
const eventTitle = lastOfEvent('title', 'headcount_internal.stored_text')
const eventAt = lastOfEvent('event_at', 'headcount_internal.stored_instant')

/** For an insert of a response; what an older version archived has no run, and is judged by its time. */
const isFirstReading = `coalesce(
             case when c.change <> 'insert' then false
                  when c.run_id is null then c.changed_at <= first_run.finished_at
                  when c.run_id <= a.first_listed_run_id then c.run_id <= coalesce(s.first_applied_run_id, c.run_id)
                  else c.run_id = s.first_applied_run_id and s.first_listed_run_id <= a.first_listed_run_id end, false)`

/** For an insert of an event: it was in the list of events that was first stored whole. */
const isFirstListing = `coalesce(
             case when c.change <> 'insert' then false
                  when c.run_id is null then c.changed_at <= first_run.finished_at
                  else c.run_id <= a.first_listed_run_id end, false)`

const firstRun = `left join headcount.sync_runs first_run on first_run.id = a.first_listed_run_id`
const event = `left join headcount.events e on e.account_id = c.account_id and e.id = c.event_id`
/** The state `s` of the list of its event. */
export const sameState = `left join headcount.sync_state s on s.account_id = c.account_id and s.event_id = c.event_id`

/** One row for each field that an update changed, and one for each insert and delete. */
export const changedField = `left join lateral (
        select key.field
          from jsonb_object_keys(case when c.change = 'update' then c.former || c.document end) key (field)
         where c.former->key.field is distinct from c.document->key.field
      ) changed on true`

/** The document of a change `c` that is no update: null of a delete. */
const inserted = ({ came }: Items) =>
  came === undefined
    ? 'c.document'
    : `(case when c.change = 'insert' then coalesce(c.document, ${came.document}) end)`

/** @param from as `responses` */
export const responseChangesQuery = (from: Items): string => `
    select c.account_id, a.name as account, c.event_id, c.response_id, c.changed_at, c.change, changed.field,
           case c.change when 'update' then c.former->>changed.field else c.former::text end as old_value,
           case c.change when 'update' then c.document->>changed.field else ${inserted(from)}::text end as new_value,${eventTitle} as event_title,
           case when r.id is not null then r.name
                else (select last.document->>'name'
                        from headcount.response_history last
                       where last.account_id = c.account_id and last.event_id = c.event_id and last.response_id = c.response_id
                       order by last.valid_to desc, last.ended_by_run_id desc
                       limit 1) end as name,
           ${isFirstReading} as initial, c.run_id
      from (${transitions(from)}
      ) c
      ${account}
      ${changedField}
      ${event}
      left join headcount.responses r
        on r.account_id = c.account_id and r.event_id = c.event_id and r.id = c.response_id
      ${sameState}
      ${firstRun}
     where (c.change <> 'update' or changed.field is not null) and ${isShown('c')}`

const responseChanges = view({
  name: 'response_changes',
  comment:
    'What changed when: one row for each field that an update changed, one for each response that came or went. Nothing from before the horizon of prune.',
  columns: {
    field: 'The field that changed, as the service spells it; slots as a whole. NULL for insert and delete.',
    old_value:
      'What it was: text as it is, all else as JSON; NULL when the field was absent. Of a delete, the whole response as JSON.',
    new_value: 'What it became. Of an insert, the whole response as JSON.',
    event_title: 'Title of the event now, else the last one known.',
    name: 'The name in the response now, else the last one known.',
  },
  query: responseChangesQuery(responses),
})

/** Each change of an event. */
export const eventTransitions = transitions(events)

/**
 * @param changes as `eventTransitions`: each with its documents
 * @param initial whether an insert is a first reading
 */
export const eventChangesQuery = (
  changes: string,
  initial = { condition: isFirstListing, joins: '' },
): string => `
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
           ${initial.condition} as initial
      from (${changes}
      ) c
      ${account}
      ${changedField}
      ${event}${initial.joins}
      ${firstRun}
     where (c.change <> 'update' or changed.field is not null) and ${isShown('c')}`

const eventChanges = view({
  name: 'event_changes',
  comment:
    'What changed of the events: one row for each field that an update changed, one for each event that was announced or is no longer listed. The service does not say that an event was cancelled. Nothing from before the horizon of prune.',
  columns: {
    event_title: 'Title of the event now, else the last one known.',
    event_at: 'When the event takes place, else the last time known.',
    what: 'announced, returned (it was removed before), moved (event_at), renamed (title), relocated (location), edited (any other field), or removed: no longer listed.',
    field: 'The field that changed, as the service spells it. NULL for insert and delete.',
    old_value:
      'What it was: text as it is, all else as JSON; NULL when the field was absent. Of a delete, the whole event as JSON.',
    new_value: 'What it became. Of an insert, the whole event as JSON.',
  },
  query: eventChangesQuery(eventTransitions),
})

/** Changes of one kind of item, as `changes` shows them. */
const items = (entity: 'event' | 'response', from: Items, initial: string) => `
        select c.account_id, a.name as account, c.run_id, c.changed_at, '${entity}' as entity, c.event_id, c.response_id,
               c.change, ${initial} as initial,${eventTitle} as event_title,${eventAt} as event_at,
               changed.fields, coalesce(c.document, c.former${from.came === undefined ? '' : `, ${from.came.document}`}) as record, changed.former
          from (${transitions(from)}
          ) c
          ${account}
          left join lateral (
            select array_agg(key.field order by key.field collate "C") as fields,
                   jsonb_object_agg(key.field, coalesce(c.former->key.field, 'null')) as former
              from jsonb_object_keys(case when c.change = 'update' then c.former || c.document end) key (field)
             where c.former->key.field is distinct from c.document->key.field
          ) changed on true
          ${event}
          ${sameState}
          ${firstRun}
         where (c.change <> 'update' or changed.fields is not null) and ${isShown('c')}`

const changes = view({
  name: 'changes',
  comment:
    'What each run changed, one row an item. Read it in the order account_id, run_id, changed_at, events before responses, event_id, response_id, and go on after the last closed run: within a run the order is reproducible, not chronological. Nothing from before the horizon of prune.',
  columns: {
    run_finished_at: 'When the run ended; NULL while it goes on: skip such rows.',
    entity: 'event or response; payments and slots are fields of their response.',
    response_id: 'The response (responses.id); NULL for an event.',
    event_title: 'Title of the event now, else the last one known.',
    event_at: 'When the event takes place, else the last time known.',
    person_id: 'Pseudonym of the person whose e-mail address the record has; NULL without one.',
    fields: 'The changed fields, sorted; NULL unless update.',
    record: 'The item after the change; of a delete the last one known.',
    former: 'Former values of the changed fields, JSON null where one was absent; NULL unless update.',
  },
  query: changesQuery(isFirstListing),
})

export const changeViews: readonly string[] = [...responseChanges, ...eventChanges, ...changes]

/**
 * @param isFirstEvent whether the insert of an event is a first reading
 * @param from as `responses`
 */
export function changesQuery(isFirstEvent: string, from = responses): string {
  return `
    select c.account_id, c.account, c.run_id, run.finished_at as run_finished_at, c.changed_at, c.entity, c.event_id,
           c.response_id, c.change, c.initial, c.event_title, c.event_at,
           case when c.entity = 'response'
                then ${personId('c.account_id', "headcount.email_key(headcount_internal.stored_text(c.record->'email'))")} end
             as person_id,
           c.fields, c.record, c.former
      from (${items('event', events, isFirstEvent)}
        union all${items('response', from, isFirstReading)}
      ) c
      left join headcount.sync_runs run on run.id = c.run_id`
}
