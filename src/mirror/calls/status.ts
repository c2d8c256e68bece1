import type { JsonValue } from '../../common/json/exact.ts'
import { readAccounts, type AccountStatus } from '../account-status.ts'
import { readEvent, type EventStatus } from '../event-status.ts'
import type { MirrorSettings } from '../list-status.ts'
import { requireAccount } from '../resolve-account.ts'
import { isRecordRejected } from '../rejected-event.ts'
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
    return database.transaction((trx) => readAccounts(trx, settings, account), { readOnly: true })
  },
})

export interface EventStatusInput extends StatusInput {
  readonly event: string
}

export interface EventStatusOutput {
  readonly events: readonly EventStatus[]
  /** Its record is listed, and rejected. */
  readonly isKnown: boolean
}

export const eventStatusCall = defineCall<EventStatusInput, EventStatusOutput>({
  name: 'event-status',
  changes: false,
  readInput: (json) => ({ ...readStatusInput(json), event: inputFields(json).text('event') }),
  run: async (database, { event, account, ...settings }) => {
    await requireAccount(database, account)
    return database.transaction(
      async (trx) => ({
        events: await readEvent(trx, event, settings, account),
        isKnown: await isRecordRejected(trx.kysely, null, event),
      }),
      { readOnly: true },
    )
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
