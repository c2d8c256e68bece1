import { sql } from 'kysely'
import { defineCall } from '../calls/call.ts'
import { listFields, object } from '../calls/input.ts'
import { ofReadAccount, rowsOf } from './read-view.ts'

const readInput = object(listFields)

/** Slots of the next 56 days that need people, the next one first. */
export const thinCall = defineCall({
  name: 'thin',
  changes: false,
  readInput,
  run: (database, { account, limit }) =>
    ofReadAccount(database, account, async (trx) => {
      const slots = await rowsOf(
        trx,
        'thin_slots',
        sql`order by v.start_date, v.account_id, v.event_id, v.slot_name collate "C" limit ${limit + 1}`,
      )
      return { thin_slots: slots.slice(0, limit), has_more: slots.length > limit }
    }),
})
