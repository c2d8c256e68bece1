import { sql } from 'kysely'
import type { ViewRow } from '../../common/schema/view-columns.ts'
import { defineCall } from '../calls/call.ts'
import { readListInput, type ListInput } from '../calls/input.ts'
import { ofReadAccount, rowsOf } from './read-view.ts'

/** Slots of the next 56 days that need people, the next one first. */
export const thinCall = defineCall<ListInput, readonly ViewRow<'thin_slots'>[]>({
  name: 'thin',
  changes: false,
  readInput: readListInput,
  run: (database, { account, limit }) =>
    ofReadAccount(database, account, (trx) =>
      rowsOf(
        trx,
        'thin_slots',
        sql`order by v.start_date, v.account_id, v.event_id, v.slot_name collate "C" limit ${limit}`,
      ),
    ),
})
