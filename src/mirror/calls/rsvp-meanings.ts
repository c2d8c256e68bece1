import type { RsvpMeaning } from '../../common/schema/tables.ts'
import {
  listRsvpMeanings,
  parseMeaning,
  removeRsvpMeaning,
  setRsvpMeaning,
  type ListedRsvpMeaning,
  type RsvpMeanings,
  type SetRsvpMeaning,
} from '../owner-tables/rsvp-meanings.ts'
import { requireAccount } from '../accounts/resolve-account.ts'
import { defineCall } from './call.ts'
import { inputFields, readListInput, type ListInput } from './input.ts'

export const rsvpMeaningsCall = defineCall<ListInput, RsvpMeanings>({
  name: 'rsvp-meanings',
  changes: false,
  readInput: readListInput,
  run: async (database, { account, limit }) => {
    await requireAccount(database, account)
    return database.transaction((trx) => listRsvpMeanings(trx, account, limit), { readOnly: true })
  },
})

export interface RsvpMeaningInput {
  readonly value: string
  readonly meaning: RsvpMeaning
}

export const setRsvpMeaningCall = defineCall<RsvpMeaningInput, SetRsvpMeaning>({
  name: 'set-rsvp-meaning',
  changes: true,
  readInput: (json) => {
    const fields = inputFields(json)
    return { value: fields.text('value'), meaning: parseMeaning(fields.text('meaning')) }
  },
  run: (database, { value, meaning }) => database.transaction((trx) => setRsvpMeaning(trx, value, meaning)),
})

export const removeRsvpMeaningCall = defineCall<{ readonly value: string }, ListedRsvpMeaning>({
  name: 'remove-rsvp-meaning',
  changes: true,
  readInput: (json) => ({ value: inputFields(json).text('value') }),
  run: (database, { value }) => database.transaction((trx) => removeRsvpMeaning(trx, value)),
})
