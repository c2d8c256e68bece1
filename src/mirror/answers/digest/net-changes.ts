/** What became of each item in a while: the item before its first change, beside the item after its last one. */
import { sql, type RawBuilder } from 'kysely'
import type { JsonValue } from '../../../common/json/exact.ts'
import type { IntegerText } from '../../../common/schema/tables.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { MAX_ITEMS } from './digest.ts'
import type {
  ChangedField,
  ChangedPart,
  ChangedParts,
  DigestEvent,
  DigestResponse,
  MoneyChange,
} from './digest.ts'
import { returned } from '../returned.ts'
import { changesOf, type PeriodOfAccount } from './period.ts'

/** `change` is insert, update or delete: of an item that came and was changed it is insert; one that came and went has none. */
export interface NetChange extends Omit<DigestResponse, 'response_id'> {
  readonly entity: 'event' | 'response'
  readonly change: 'insert' | 'update' | 'delete'
  /** Of all items with this entity and change. */
  readonly total: IntegerText
  /** Null of an event, as what else a response has. */
  readonly response_id: IntegerText | null
  /** Of an update. */
  readonly fields: readonly ChangedField[]
  /** Of an event that went: responses that went, too. */
  readonly responses: IntegerText
  /** Of what came: it was there before the first of these changes. */
  readonly returned: boolean
}

/** The changes by their kinds. @param moreOf what each part has besides */
export function changedParts<More extends object>(
  changes: readonly NetChange[],
  moreOf: (entity: NetChange['entity'], change: NetChange['change']) => More,
): ChangedParts<More> {
  const part = <Item>(
    entity: NetChange['entity'],
    change: NetChange['change'],
    item: (found: NetChange) => Item,
  ): ChangedPart<Item> & More => {
    const found = changes.filter((one) => one.entity === entity && one.change === change)
    return { total: found[0]?.total ?? '0', items: found.map(item), ...moreOf(entity, change) }
  }
  return {
    events_removed: part('event', 'delete', (one) => ({ ...eventOf(one), responses: one.responses })),
    events_changed: part('event', 'update', (one) => ({ ...eventOf(one), fields: one.fields })),
    events_announced: part('event', 'insert', (one) => ({ ...eventOf(one), returned: one.returned })),
    responses_withdrawn: part('response', 'delete', responseOf),
    responses_changed: part('response', 'update', (one) => ({ ...responseOf(one), fields: one.fields })),
    responses_new: part('response', 'insert', (one) => ({ ...responseOf(one), returned: one.returned })),
  }
}

function eventOf({ event_id, event_title, event_at }: DigestEvent): DigestEvent {
  return { event_id, event_title, event_at }
}

function responseOf(change: NetChange): DigestResponse {
  const { name, rsvp, quantity, amount } = change
  return { ...eventOf(change), response_id: change.response_id ?? '', name, rsvp, quantity, amount }
}

/** Responses whose changes are read, beside those of events. */
export interface OfResponses {
  readonly events: readonly string[]
  readonly ids: readonly string[]
}

/**
 * The first ten changes of each kind, those of the next events first. Responses of events that went are counted at these.
 *
 * @param responses null: all
 */
export function netChanges(
  period: PeriodOfAccount,
  event: string | null,
  responses: OfResponses | null = null,
): RawBuilder<NetChange> {
  // guard: responses of events that went
  return sql<NetChange & { readonly fields: JsonValue }>`
    ${netItems(period, event, responses === null ? sql`true` : changeOf(responses))},
    gone as (
      select event_id from item where entity = 'event' and change = 'delete'),
    ranked as (
      select item.*, count(*) over kind as total,
             row_number() over (kind order by item.is_minor, item.event_at < now(), item.event_at, item.changed_at desc, item.event_id,
                                              item.response_id) as place
        from item
       where not (entity = 'response' and change = 'delete' and event_id in (select event_id from gone))
      window kind as (partition by entity, change))
    select entity, change, total, event_id, event_title, event_at, response_id,
           headcount_internal.stored_text(document->'name') as name,
           headcount_internal.stored_text(document->'rsvp') as rsvp,
           headcount_internal.stored_bigint(document->'quantity') as quantity,
           headcount_internal.stored_amount(document->'amount') as amount,
           coalesce(fields, '[]') as fields,
           (select count(*) from item response
             where ranked.entity = 'event' and response.entity = 'response' and response.change = 'delete'
               and response.event_id = ranked.event_id) as responses,
           ${returned('ranked', 'since')} as returned
      from ranked
     where place <= ${MAX_ITEMS}
     order by entity, change, place`
}

function changeOf({ events, ids }: OfResponses): RawBuilder<unknown> {
  return sql`(v.entity = 'event' or v.response_id = any(${ids}::bigint[]) and v.event_id = any(${events}::text[]))`
}

/** Of a change `v`. The others leave the amounts of their response as they were, or tell of one that has none. */
const AMOUNTS = sql`array['amount', 'processing_fee']`
const CHANGES_AMOUNTS = sql`(
  v.entity = 'response' and case v.change when 'update' then v.fields && ${AMOUNTS} else v.record ?| ${AMOUNTS} end)`

export interface EventMoney extends DigestEvent, MoneyChange {
  /** Events with such a change. */
  readonly total: IntegerText
}

/** What became of payments: all together first (without an event), then the ten events with the greatest change of the amount. */
export async function readMoney(
  { kysely }: Transaction,
  period: PeriodOfAccount,
  event: string | null,
): Promise<readonly (Omit<EventMoney, 'event_id'> & { readonly event_id: string | null })[]> {
  const { rows } = await sql<EventMoney>`
    ${netItems(period, event, CHANGES_AMOUNTS)},
    payment as (
      select event_id, event_title, event_at,
             headcount_internal.stored_amount(before->'amount') as amount_before,
             headcount_internal.stored_amount(before->'processing_fee') as fee_before,
             headcount_internal.stored_amount(now->'amount') as amount_now,
             headcount_internal.stored_amount(now->'processing_fee') as fee_now
        from item),
    changed as (
      select event_id, event_title, event_at,
             amount_before is null and fee_before is null as is_new,
             amount_now is null and fee_now is null as is_gone,
             coalesce(amount_now, 0) - coalesce(amount_before, 0) as amount,
             coalesce(fee_now, 0) - coalesce(fee_before, 0) as fee
        from payment
       where (amount_before, fee_before) is distinct from (amount_now, fee_now)),
    summed as (
      select event_id, max(event_title) as event_title, max(event_at) as event_at,
             count(*) filter (where is_new) as payments_new,
             count(*) filter (where not is_new and not is_gone) as payments_changed,
             count(*) filter (where is_gone) as payments_withdrawn,
             coalesce(sum(amount), 0) as amount, coalesce(sum(fee), 0) as processing_fee
        from changed group by grouping sets ((), (event_id)))
    select summed.*, (count(*) over ()) - 1 as total
      from summed
     order by event_id is not null, abs(amount) desc, event_id
     limit ${MAX_ITEMS + 1}`.execute(kysely)
  return rows
}

/**
 * `item`: each item that is not now as it was before, as account_id, entity, change, event_id, event_title, event_at, response_id,
 * changed_at, since (its first change), before, now, document (now, else before) and fields. What was read for the first time was there before.
 *
 * @param condition which changes `v` are told
 */
function netItems(
  period: PeriodOfAccount,
  event: string | null,
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
  // Versions of an item may be stored in different forms, as where fields are left out: only the fields that are told have changed.
  // guard: first readings in a digest
  return sql`
    with told as (
      select v.*,
             first_value(case change when 'delete' then record when 'update' then record || former end) over item as before,
             first_value(changed_at) over item as since,
             bool_or(change = 'delete') over item as was_gone,
             jsonb_agg(fields) over item as names
        from headcount.changes v
       where ${sql.raw(changesOf(period, event))} and v.run_finished_at is not null and ${condition} and not v.initial
      window item as (partition by entity, event_id, response_id order by run_id, changed_at
                      rows between unbounded preceding and unbounded following)),
    last_change as (
      select distinct on (entity, event_id, response_id) told.*, record as document, case when change <> 'delete' then record end as now
        from told order by entity, event_id, response_id, run_id desc, changed_at desc),
    item as materialized (
      select account_id, entity, event_id, response_id, event_title, event_at, changed_at, since, before, now, document,
             case when before is null then 'insert' when now is null then 'delete' else 'update' end as change,
             field.changed as fields,
             entity = 'response' and coalesce(field.changed->0->>'field' = 'created_at' and jsonb_array_length(field.changed) = 1, false) as is_minor
        from last_change
       cross join lateral (
         select jsonb_agg(jsonb_build_object('field', key.field, 'before', before->key.field, 'now', now->key.field)
                          order by key.field collate "C") as changed
           from jsonb_object_keys(case when before is not null and now is not null then before || now end) key (field)
          where key.field <> 'updated_at' and (was_gone or names @> jsonb_build_array(jsonb_build_array(key.field)))
            and nullif(before->key.field, 'null') is distinct from nullif(now->key.field, 'null')) field
       where (before is null) <> (now is null) or field.changed is not null)`
}
