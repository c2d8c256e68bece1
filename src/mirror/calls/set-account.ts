import { setTimeZone, type SetTimeZone } from '../accounts/set-time-zone.ts'
import { defineCall } from './call.ts'
import { inputFields } from './input.ts'

export interface SetAccountInput {
  readonly account: string
  readonly time_zone: string
}

export const setAccountCall = defineCall<SetAccountInput, SetTimeZone>({
  name: 'set-account',
  changes: true,
  readInput: (json) => {
    const fields = inputFields(json)
    return { account: fields.text('account'), time_zone: fields.text('time_zone') }
  },
  run: (database, { account, time_zone }) =>
    database.transaction((trx) => setTimeZone(trx, account, time_zone)),
})
