import { sql } from 'kysely'
import type { ViewRow } from '../../common/schema/view-columns.ts'
import { defineCall } from '../calls/call.ts'
import { readListInput, type ListInput } from '../calls/input.ts'
import { ofReadAccount, rowsOf } from './read-view.ts'

export interface ThinSlots {
  readonly thin_slots: readonly ViewRow<'thin_slots'>[]
  /** Whether `limit` left slots out. */
  readonly has_more: boolean
}

/** Slots of the next 56 days that need people, the next one first. */
export const thinCall = defineCall<ListInput, ThinSlots>({
  name: 'thin',
  changes: false,
  readInput: readListInput,
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
