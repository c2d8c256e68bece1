import type { JsonValue } from '../../common/json/exact.ts'
import { readAccountStatuses, type AccountStatus } from '../status/account-status.ts'
import { readEventStatuses, type EventStatuses } from '../status/event-status.ts'
import type { MirrorSettings } from '../status/list-status.ts'
import { readValuesWithoutMeaning } from '../owner-tables/rsvp-values.ts'
import { requireAccount } from '../accounts/resolve-account.ts'
import { unknownEvent } from '../answers/read-view.ts'
import { defineCall } from './call.ts'
import { inputFields, type InputFields } from './input.ts'

/** Of one account or, with null, of all. */
export interface StatusInput extends MirrorSettings {
  readonly account: string | null
}

export interface AccountStatusInput extends StatusInput {
  /** Accounts that have settings of their own. */
  readonly own: readonly OwnSettings[]
  /** Whether to look for replies without a meaning, which reads all responses. */
  readonly withReplies: boolean
}

export interface OwnSettings extends MirrorSettings {
  readonly account: string
}

/** Nobody who asks how the mirror stands waits longer for the replies. */
const MAX_REPLIES_MS = 1000

export const statusCall = defineCall<AccountStatusInput, readonly AccountStatus[]>({
  name: 'status',
  changes: false,
  readInput: (json) => ({
    ...readStatusInput(json),
    own: inputFields(json).objects('own').map(readOwnSettings),
    withReplies: inputFields(json).boolean('withReplies'),
  }),
  run: async (database, { account, withReplies, own, ...ofAll }) => {
    // An account with settings of its own is known to whoever asks, and may not have been mirrored yet.
    if (own.every((one) => one.account !== account)) await requireAccount(database, account)
    const settings = { ...ofAll, own: new Map(own.map((one) => [one.account, one])) }
    const statuses = await database.transaction((trx) => readAccountStatuses(trx, settings, account), {
      readOnly: true,
    })
    const values = withReplies ? await readValuesWithoutMeaning(database, MAX_REPLIES_MS) : null
    return statuses.map((status) => ({
      ...status,
      rsvp_without_meaning: values && (values.get(status.account) ?? []),
    }))
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
    return database.transaction(
      async (trx) => {
        const found = await readEventStatuses(trx, event, settings, account)
        return Object.values(found).every((none: readonly unknown[]) => none.length === 0)
          ? unknownEvent(trx, event, account)
          : found
      },
      { readOnly: true },
    )
  },
})

function readOwnSettings(fields: InputFields): OwnSettings {
  return {
    account: fields.text('account'),
    maxStalenessMs: fields.number('maxStalenessMs'),
    holdForMs: fields.number('holdForMs'),
  }
}

function readStatusInput(json: JsonValue): StatusInput {
  const fields = inputFields(json)
  return {
    account: fields.textOrNull('account'),
    maxStalenessMs: fields.number('maxStalenessMs'),
    holdForMs: fields.number('holdForMs'),
  }
}
