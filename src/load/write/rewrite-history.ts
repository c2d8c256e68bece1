/** Brings former versions into line with fields that are left out, or stored as pseudonyms. */
import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'

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
  const pseudonyms = await pseudonymsIn(trx, account, event_id, rules)
  const wasStored = (field: string) =>
    sql`jsonb_strip_nulls(jsonb_build_object(${sql.lit(field)}, headcount_internal.stored_text(h.document->${sql.lit(field)})))`
  const kept = rules.allExtra
    ? sql`headcount_internal.forgotten_response(h.document)
            || ${wasStored('name')} || ${wasStored('email')} || ${wasStored('message')}
            || case when h.document ? 'slots' and headcount_internal.stored_slots(h.document->'slots') is not null
                    then jsonb_build_object('slots', h.document->'slots') else '{}' end`
    : sql`h.document`
  const result = await sql`
    with pseudonyms as materialized (
      select * from json_to_recordset(${JSON.stringify(pseudonyms)}::json) as p(field text, value text, pseudonym text)
    ), rewritten as materialized (
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

interface StoredPseudonym {
  readonly field: string
  readonly value: string
  readonly pseudonym: string | null
}

/** Every text of these fields in the former versions of an event, with its pseudonym. */
async function pseudonymsIn(
  { kysely }: Transaction,
  account: number,
  event_id: string,
  { pseudonyms }: DocumentRules,
): Promise<readonly StoredPseudonym[]> {
  const fields = [...pseudonyms.keys()]
  const { rows } = await sql<Omit<StoredPseudonym, 'pseudonym'>>`
    select distinct f.field, h.document->>f.field as value
      from headcount.response_history h
     cross join unnest(${fields}::text[]) f (field)
     where h.account_id = ${account} and h.event_id = ${event_id} and jsonb_typeof(h.document->f.field) = 'string'`.execute(
    kysely,
  )
  return rows.map(({ field, value }) => ({ field, value, pseudonym: pseudonyms.get(field)?.(value) ?? null }))
}
