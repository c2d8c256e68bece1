import { sql } from 'kysely'
import { listFields, object } from '../calls/input.ts'
import { defineAnswer, rowsOf } from './read-view.ts'

/** Slots of the next 56 days that need people, the next one first. */
export const thinCall = defineAnswer('thin', object(listFields), async (trx, { limit }) => {
  const order = sql`order by v.start_date, v.account_id, v.event_id, v.slot_name collate "C" limit ${limit + 1}`
  const slots = await rowsOf(trx, 'thin_slots', order)
  return { thin_slots: slots.slice(0, limit), has_more: slots.length > limit }
})
