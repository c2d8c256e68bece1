/** What people call a row, beside its id. */
import { sql } from 'kysely'
import type { IntegerText } from '../common/schema/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { keyRecordset } from './write/recordsets.ts'

/** An event, or a response with all that belongs to it. */
export interface LabelledRow {
  readonly event_id: string
  readonly response_id?: IntegerText
}

/** The label of a live row: the title of an event, the name in a response; null where it has none or is not live. */
export type LabelOf = (row: LabelledRow) => string | null

/** Reads the labels of a few rows. */
export async function readLabels(
  { kysely }: Pick<Transaction, 'kysely'>,
  account: number,
  rows: readonly LabelledRow[],
): Promise<LabelOf> {
  if (rows.length === 0) return () => null
  const responses = rows.flatMap(({ event_id, response_id: id }) =>
    id === undefined ? [] : { event_id, id },
  )
  const events = rows.flatMap(({ event_id, response_id }) => (response_id === undefined ? event_id : []))
  const found = await sql<{ event_id: string; response_id: IntegerText | null; label: string | null }>`
    select id as event_id, null::bigint as response_id, title as label
      from headcount.events
     where account_id = ${account} and id = any (${events}::text[])
    union all
    select event_id, id, name
      from headcount.responses
     where account_id = ${account} and (event_id, id) in (${keyRecordset(responses)})`.execute(kysely)
  const labels = new Map(
    found.rows.map(({ event_id, response_id, label }) => [keyOf(event_id, response_id), label]),
  )
  return ({ event_id, response_id }) => labels.get(keyOf(event_id, response_id ?? null)) ?? null
}

function keyOf(event_id: string, response_id: IntegerText | null): string {
  return `${response_id ?? ''} ${event_id}`
}
