import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import { responseRecordset, slotRecordset } from '../write/recordsets.ts'
import type { EventResponse } from '../write/recordsets.ts'
import { chunkRows } from '../statements.ts'

/** Responses that are not in the mirror yet, and those whose row, payment or slots differ from it. */
export interface ChangedResponses {
  readonly added: readonly EventResponse[]
  readonly changed: readonly EventResponse[]
}

/**
 * Finds what differs from the live rows without touching them: no lock, no new row version, no WAL. It also
 * sees rows that someone changed by hand.
 */
export async function changedResponses(
  trx: Transaction,
  account: number,
  responses: readonly EventResponse[],
): Promise<ChangedResponses> {
  const added: EventResponse[] = []
  const changed: EventResponse[] = []
  for (const chunk of chunkRows(responses)) {
    const found = await changedKeys(trx, account, chunk)
    for (const { index, is_new } of found) {
      const response = chunk[index]
      if (response) (is_new ? added : changed).push(response)
    }
  }
  return { added, changed }
}

async function changedKeys(trx: Transaction, account: number, responses: readonly EventResponse[]) {
  const { rows } = await sql<{ index: number; is_new: boolean }>`
    with incoming as materialized (${responseRecordset(responses)}),
    incoming_slots as materialized (${slotRecordset(responses)}),
    differing_slots as (
      select coalesce(i.event_id, l.event_id) as event_id, coalesce(i.response_id, l.response_id) as response_id
        from incoming_slots i
        full join (
          select s.*
            from headcount.slots s
            join incoming on incoming.event_id = s.event_id and incoming.id = s.response_id
           where s.account_id = ${account}
        ) l using (event_id, response_id, position)
       where i.event_id is null
          or l.event_id is null
          or (i.name, i.start_date, i.end_date, i.start_local, i.end_local, i._extra)
             is distinct from (l.name, l.start_date, l.end_date, l.start_local, l.end_local, l._extra)
    )
    select i.index, l.id is null as is_new
      from incoming i
      left join headcount.responses l
        on l.account_id = ${account} and l.event_id = i.event_id and l.id = i.id
      left join headcount.payments p
        on p.account_id = ${account} and p.event_id = i.event_id and p.response_id = i.id
     where l.id is null
        or (i.kind, i.name, i.email, i.message, i.quantity, i.rsvp, i.created_at, i.updated_at, i._extra)
           is distinct from
           (l.kind, l.name, l.email, l.message, l.quantity, l.rsvp, l.created_at, l.updated_at, l._extra)
        or (i.is_paid, i.amount::text, i.processing_fee::text)
           is distinct from (p.response_id is not null, p.amount::text, p.processing_fee::text)
        or (i.event_id, i.id) in (select event_id, response_id from differing_slots)
     order by i.index`.execute(trx.kysely)
  return rows
}
