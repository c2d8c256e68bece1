import { sql } from 'kysely'
import type { TableCounts } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { differing } from '../diff/changed-responses.ts'
import { copyResponses } from '../copy/response-encoder.ts'
import { beginOfResponse, isClockBehind, keepFormerResponses } from './history.ts'
import { incomingResponses } from './recordsets.ts'
import type { EventResponse } from './recordsets.ts'
import { addPayments, replacePayments } from './payments.ts'
import { addSlots, replaceSlots } from './slots.ts'
import { addCounts, noCounts, pieces, requireCount } from '../statements.ts'
import type { Writing, Written } from '../statements.ts'

/**
 * Brings responses, their payments and their slots to what the service answers. Rows that are equal are not
 * touched. Nothing is removed here but the payments and slots that a response no longer has.
 *
 * `fresh` are responses of events without any live row: they are written without a comparison.
 */
export async function loadResponses(
  trx: Transaction,
  writing: Writing,
  fresh: readonly EventResponse[],
  others: readonly EventResponse[],
): Promise<Written> {
  const { added, changed } = await differing(trx, writing.account, others)
  const rows = noCounts()
  const isNew = [...fresh, ...added]
  if (isNew.length > 0) {
    const addAll = (await isClockBehind(trx)) ? insertAll : copyResponses
    addCounts(rows, await addAll(trx, writing, isNew))
  }
  for (const piece of pieces(changed)) {
    await keepFormerResponses(trx, writing, 'update', keysOf(piece))
    const responses = { inserted: 0, updated: await updateResponses(trx, writing, piece), deleted: 0 }
    const payments = await replacePayments(trx, writing.account, piece)
    const slots = await replaceSlots(trx, writing.account, piece)
    addCounts(rows, { ...noCounts(), responses, payments, slots })
  }
  return { rows, events: new Set([...fresh, ...added, ...changed].map(({ event_id }) => event_id)) }
}

/** Where the clock was set back: each row begins where its former version ended, which COPY cannot look up. */
async function insertAll(
  trx: Transaction,
  writing: Writing,
  responses: readonly EventResponse[],
): Promise<TableCounts> {
  const rows = noCounts()
  for (const piece of pieces(responses)) {
    rows.responses.inserted += await insertResponses(trx, writing, piece)
    rows.payments.inserted += await addPayments(trx, writing.account, piece)
    rows.slots.inserted += await addSlots(trx, writing.account, piece)
  }
  return rows
}

async function insertResponses(trx: Transaction, writing: Writing, responses: readonly EventResponse[]) {
  const result = await sql`
    insert into headcount.responses (account_id, event_id, id, kind, name, email, message, quantity, rsvp,
                                     created_at, updated_at, _extra, _first_seen_at, _changed_at, _run_id)
    select ${writing.account}, event_id, id, kind, name, email, message, quantity, rsvp,
           created_at, updated_at, _extra, began, began, ${writing.run}
      from (${incomingResponses(responses)}) incoming
     cross join lateral (select ${beginOfResponse(writing.account)} as began) version
     order by event_id, id`.execute(trx.kysely)
  return requireCount('headcount.responses, insert', responses.length, result)
}

async function updateResponses(trx: Transaction, writing: Writing, responses: readonly EventResponse[]) {
  const result = await sql`
    update headcount.responses live
       set kind = i.kind, name = i.name, email = i.email, message = i.message, quantity = i.quantity,
           rsvp = i.rsvp, created_at = i.created_at, updated_at = i.updated_at, _extra = i._extra,
           _changed_at = case when ${writing.history} then greatest(now(), live._changed_at) else live._changed_at end,
           _run_id = ${writing.run}
      from (${incomingResponses(responses)}) i
     where live.account_id = ${writing.account} and live.event_id = i.event_id and live.id = i.id`.execute(
    trx.kysely,
  )
  return requireCount('headcount.responses, update', responses.length, result)
}

function keysOf(responses: readonly EventResponse[]) {
  return responses.map(({ event_id, response }) => ({ event_id, id: response.id }))
}
