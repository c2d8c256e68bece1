import { readAccountStatuses, type AccountStatus } from '../status/account-status.ts'
import { readEventStatuses, type EventStatuses } from '../status/event-status.ts'
import { settingsFields } from '../status/list-status.ts'
import { readValuesWithoutMeaning } from '../owner-tables/rsvp-values.ts'
import { requireAccount } from '../accounts/resolve-account.ts'
import { unknownEvent } from '../answers/read-view.ts'
import { defineCall, defineList } from './call.ts'
import { accountFields, arrayOf, boolean, object, text, type ValueOf } from './input.ts'

const statusFields = { ...accountFields, ...settingsFields }

export type StatusInput = ValueOf<typeof statusFields>

/** Nobody who asks how the mirror stands waits longer for the replies. */
const MAX_REPLIES_MS = 1000

const readInput = object({
  ...statusFields,
  /** Accounts that have settings of their own. */
  own: arrayOf('objects', object({ account: text, ...settingsFields })),
  /** Whether to look for replies without a meaning, which reads all responses. */
  withReplies: boolean,
})

export const statusCall = defineCall({
  name: 'status',
  changes: false,
  readInput,
  run: async (database, { account, withReplies, own, ...ofAll }): Promise<readonly AccountStatus[]> => {
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

export const eventStatusCall = defineList(
  'event-status',
  object({ ...statusFields, event: text }),
  async (trx, { event, account, ...settings }): Promise<EventStatuses> => {
    const found = await readEventStatuses(trx, event, settings, account)
    return Object.values(found).every((none: readonly unknown[]) => none.length === 0)
      ? unknownEvent(trx, event, account)
      : found
  },
)
