/** Brings what is stored into line with fields that are left out, or stored as pseudonyms: former versions, and live rows that no reading makes anew. */
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Tables } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { restateResponses } from './history.ts'

/** What is left out of a document; names of fields. */
export interface DocumentRules {
  readonly fields: readonly string[]
  /** All fields that the specification does not name, and values that fit no column. */
  readonly allExtra: boolean
  readonly slotFields: readonly string[]
  readonly allSlotExtra: boolean
  /** Fields that are pseudonyms, with what makes one; null for a text that leaves none. */
  readonly pseudonyms: ReadonlyMap<string, (text: string) => string | null>
}

/** @returns how many former versions changed */
export async function rewriteHistory(
  trx: Transaction,
  account: number,
  event_id: string,
  rules: DocumentRules,
): Promise<number> {
  const pseudonyms = await pseudonymsOf(
    trx,
    rules,
    (fields) => sql`
      select distinct f.field, h.document->>f.field as value
        from headcount.response_history h
       cross join unnest(${fields}::text[]) f (field)
       where h.account_id = ${account} and h.event_id = ${event_id} and jsonb_typeof(h.document->f.field) = 'string'`,
  )
  const wasStored = (field: string) =>
    sql`jsonb_strip_nulls(jsonb_build_object(${sql.lit(field)}, headcount_internal.stored_text(h.document->${sql.lit(field)})))`
  const kept = rules.allExtra
    ? sql`headcount_internal.forgotten_response(h.document)
            || ${wasStored('name')} || ${wasStored('email')} || ${wasStored('message')}
            || case when h.document ? 'slots' and headcount_internal.stored_slots(h.document->'slots') is not null
                    then jsonb_build_object('slots', h.document->'slots') else '{}' end`
    : sql`h.document`
  const result = await sql`
    with pseudonyms as materialized (${pseudonyms}), rewritten as materialized (
      select h.response_id, h.valid_to, h.ended_by_run_id,
             (kept.document - ${rules.fields}::text[])
             || coalesce((select jsonb_object_agg(p.field, p.pseudonym)
                            from pseudonyms p
                           where kept.document->>p.field = p.value and jsonb_typeof(kept.document->p.field) = 'string'), '{}')
             || case when jsonb_typeof(kept.document->'slots') = 'array' then jsonb_build_object('slots', slots.kept) else '{}' end
               as document
        from headcount.response_history h
       cross join lateral (select ${kept} as document) kept
       cross join lateral (
         select ${
           rules.allSlotExtra
             ? sql`headcount_internal.slots_without_extra(kept.document->'slots')`
             : sql`coalesce((select jsonb_agg(case when jsonb_typeof(slot) = 'object' then slot - ${rules.slotFields}::text[] else slot end order by place)
                        from jsonb_array_elements(case when jsonb_typeof(kept.document->'slots') = 'array'
                                                       then kept.document->'slots' else '[]' end) with ordinality s (slot, place)), '[]')`
         } as kept) slots
       where h.account_id = ${account} and h.event_id = ${event_id}
    )
    update headcount.response_history h
       set document = w.document
      from rewritten w
     where h.account_id = ${account} and h.event_id = ${event_id} and h.response_id = w.response_id
       and h.valid_to = w.valid_to and h.ended_by_run_id = w.ended_by_run_id and h.document <> w.document`.execute(
    trx.kysely,
  )
  return Number(result.numAffectedRows)
}

/** Events whose lists are to be read anew, for their rows were made with other settings. */
export async function readUnread(kysely: Kysely<Tables>, account: number): Promise<readonly string[]> {
  const { rows } = await sql<{ event_id: string }>`
    select event_id from headcount.sync_state
     where account_id = ${account} and rewrite_due and forgotten_at is null and event_id <> ''
     order by 1`.execute(kysely)
  return rows.map(({ event_id }) => event_id)
}

/** All that is live of an event whose list cannot be read anew. Its rejects are kept without their text. */
export async function rewriteUnread(
  trx: Transaction,
  account: number,
  event_id: string,
  rules: DocumentRules,
): Promise<void> {
  // guard: unread rows under new settings
  const changed = await rewriteLive(trx, account, [event_id], rules)
  await sql`
    update headcount.rejects set payload = null
     where account_id = ${account} and event_id = ${event_id} and payload is not null`.execute(trx.kysely)
  if (changed.size === 0) return
  await sql`
    update headcount.sync_state set list_version = gen_random_uuid()
     where account_id = ${account} and event_id = ${event_id}`.execute(trx.kysely)
}

/**
 * Live responses and slots of these events. None gets a former version: nothing has changed at the service. Nor has the digest of a list: it
 * is that of what the service sent.
 *
 * @returns the events in which a row changed
 */
export async function rewriteLive(
  trx: Transaction,
  account: number,
  events: readonly string[],
  rules: DocumentRules,
): Promise<ReadonlySet<string>> {
  const changed: string[] = []
  for (const keys of await keysInParts(trx, account, events)) {
    const some = await restateResponses(trx, account, keys, () => applyRules(trx, account, keys, rules))
    changed.push(...some)
  }
  return new Set(changed)
}

/** What is restated is in memory for a moment. */
const RESPONSES_PER_PART = 5000

/** Recordsets `(event_id, id)` that have the responses of these events together. */
async function keysInParts(
  { kysely }: Transaction,
  account: number,
  events: readonly string[],
): Promise<readonly RawBuilder<unknown>[]> {
  const { rows } = await sql<{ events: string[]; first_ids: string[]; last_ids: string[] }>`
    select array_agg(event_id) as events, array_agg(first_id) as first_ids, array_agg(last_id) as last_ids
      from (select part, event_id, min(id)::text as first_id, max(id)::text as last_id
              from (select event_id, id, (row_number() over (order by event_id, id) - 1) / ${RESPONSES_PER_PART}::int as part
                      from headcount.responses
                     where account_id = ${account} and event_id = any (${events}::text[])) numbered
             group by part, event_id) ranges
     group by part
     order by part`.execute(kysely)
  return rows.map(
    (part) => sql`
      select r.event_id, r.id
        from unnest(${part.events}::text[], ${part.first_ids}::bigint[], ${part.last_ids}::bigint[]) range (event_id, first_id, last_id)
        join headcount.responses r
          on r.account_id = ${account} and r.event_id = range.event_id and r.id between range.first_id and range.last_id`,
  )
}

/** @param keys a recordset `(event_id, id)` */
async function applyRules(
  trx: Transaction,
  account: number,
  keys: RawBuilder<unknown>,
  rules: DocumentRules,
): Promise<readonly string[]> {
  const own = (id: 'id' | 'response_id') =>
    sql`account_id = ${account} and (event_id, ${sql.ref(id)}) in (${keys})`
  const pseudonyms = await pseudonymsOf(
    trx,
    rules,
    (fields) => sql`
      select distinct f.field, f.value
        from (select * from headcount.responses where ${own('id')}) r
       cross join lateral (values ('name', r.name), ('email', r.email)) f (field, value)
       where f.value is not null and f.field = any (${fields}::text[])`,
  )
  const hasSlotRules = rules.allSlotExtra || rules.slotFields.length > 0
  // A value that is no text, or no list of slots, stands in `_extra` by the name of its field.
  const unknown = [...rules.fields, ...rules.pseudonyms.keys(), ...(hasSlotRules ? ['slots'] : [])]
  const column = (name: 'name' | 'email' | 'message') => {
    if (rules.fields.includes(name)) return sql`null::text`
    if (!rules.pseudonyms.has(name)) return sql.ref(name)
    return sql`(select p.pseudonym from pseudonyms p where p.field = ${name} and p.value = ${sql.ref(name)})`
  }
  const extra = (all: boolean, fields: readonly string[]) =>
    all ? sql`null::jsonb` : sql`nullif(_extra - ${fields}::text[], '{}')`
  const responses = await sql<{ event_id: string }>`
    with pseudonyms as materialized (${pseudonyms}), kept as materialized (
      select event_id, id, ${column('name')} as name, ${column('email')} as email, ${column('message')} as message,
             ${extra(rules.allExtra, unknown)} as _extra
        from headcount.responses
       where ${own('id')}
    )
    update headcount.responses r
       set name = kept.name, email = kept.email, message = kept.message, _extra = kept._extra
      from kept
     where r.account_id = ${account} and r.event_id = kept.event_id and r.id = kept.id
       and (r.name, r.email, r.message, r._extra) is distinct from (kept.name, kept.email, kept.message, kept._extra)
    returning r.event_id`.execute(trx.kysely)
  const slotExtra = extra(rules.allSlotExtra, rules.slotFields)
  const slots = await sql<{ event_id: string }>`
    update headcount.slots set _extra = ${slotExtra}
     where ${own('response_id')} and _extra is distinct from ${slotExtra}
    returning event_id`.execute(trx.kysely)
  return [...responses.rows, ...slots.rows].map(({ event_id }) => event_id)
}

/** A recordset `(field, value, pseudonym)` of each text of these fields. @param texts selects `field` and `value` */
async function pseudonymsOf(
  { kysely }: Transaction,
  { pseudonyms }: DocumentRules,
  texts: (fields: readonly string[]) => RawBuilder<unknown>,
): Promise<RawBuilder<unknown>> {
  const fields = [...pseudonyms.keys()]
  const { rows } =
    fields.length === 0
      ? { rows: [] }
      : await sql<{ field: string; value: string }>`${texts(fields)}`.execute(kysely)
  const found = rows.map(({ field, value }) => ({
    field,
    value,
    pseudonym: pseudonyms.get(field)?.(value) ?? null,
  }))
  return sql`select * from json_to_recordset(${JSON.stringify(found)}::json) as p(field text, value text, pseudonym text)`
}
