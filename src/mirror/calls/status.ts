import type { JsonValue } from '../../common/json/exact.ts'
import { readAccountStatuses, type AccountStatus } from '../account-status.ts'
import { readEventStatuses, type EventStatuses } from '../event-status.ts'
import type { MirrorSettings } from '../list-status.ts'
import { requireAccount } from '../resolve-account.ts'
import { defineCall } from './call.ts'
import { inputFields } from './input.ts'

/** Of one account or, with null, of all. */
export interface StatusInput extends MirrorSettings {
  readonly account: string | null
}

export const statusCall = defineCall<StatusInput, readonly AccountStatus[]>({
  name: 'status',
  changes: false,
  readInput: readStatusInput,
  run: async (database, { account, ...settings }) => {
    await requireAccount(database, account)
    return database.transaction((trx) => readAccountStatuses(trx, settings, account), { readOnly: true })
  },
})

export interface EventStatusInput extends StatusInput {
  readonly event: string
}

export const eventStatusCall = defineCall<EventStatusInput, EventStatuses>({
  name: 'event-status',
  changes: false,
  readInput: (json) => ({ ...readStatusInput(json), event: inputFields(json).text('event') }),
  run: async (database, { event, account, ...settings }) => {
    await requireAccount(database, account)
    return database.transaction((trx) => readEventStatuses(trx, event, settings, account), { readOnly: true })
  },
})

function readStatusInput(json: JsonValue): StatusInput {
  const fields = inputFields(json)
  return {
    account: fields.textOrNull('account'),
    maxStalenessMs: fields.number('maxStalenessMs'),
    holdForMs: fields.number('holdForMs'),
  }
}
