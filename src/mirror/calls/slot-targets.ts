import {
  listSlotTargets,
  removeSlotTarget,
  setSlotTarget,
  type SetSlotTarget,
  type SlotScope,
  type SlotTarget,
} from '../owner-tables/slot-targets.ts'
import { resolveAccount } from '../accounts/resolve-account.ts'
import { defineCall, defineAccountList } from './call.ts'
import { inputFields, type InputFields } from './input.ts'

export const slotTargetsCall = defineAccountList('slot-targets', listSlotTargets)

export interface RemoveSlotTargetInput extends SlotScope {
  /** null: the one that is meant when none is named. */
  readonly account: string | null
}

export interface SetSlotTargetInput extends RemoveSlotTargetInput {
  readonly wanted: number
}

export const setSlotTargetCall = defineCall<SetSlotTargetInput, SetSlotTarget>({
  name: 'set-slot-target',
  changes: true,
  readInput: (json) => {
    const fields = inputFields(json)
    return { ...readScope(fields), wanted: fields.number('wanted') }
  },
  run: (database, input) =>
    database.transaction(async (trx) =>
      setSlotTarget(trx, { ...input, account: await resolveAccount(trx, input.account) }),
    ),
})

export const removeSlotTargetCall = defineCall<RemoveSlotTargetInput, SlotTarget>({
  name: 'remove-slot-target',
  changes: true,
  readInput: (json) => readScope(inputFields(json)),
  run: (database, input) =>
    database.transaction(async (trx) =>
      removeSlotTarget(trx, { ...input, account: await resolveAccount(trx, input.account) }),
    ),
})

function readScope(fields: InputFields): RemoveSlotTargetInput {
  return {
    account: fields.textOrNull('account'),
    event_id: fields.textOrNull('event_id'),
    slot_name: fields.textOrNull('slot_name'),
  }
}
