import { UsageError } from '../../common/errors.ts'
import { defineCall } from '../calls/call.ts'
import { inputFields, type InputFields } from '../calls/input.ts'
import type { MirrorState } from '../../common/schema/tables.ts'
import type { Claim } from './claims.ts'
import { settleDelivery, type DeliveryOutcome, type Settled, type NoticeReason } from './settle.ts'

export interface SettleDeliveryInput extends Claim {
  readonly outcome: DeliveryOutcome
  /** What a notice told; null of a digest. */
  readonly notice: NoticeReason | null
}

/** Records what became of a message; the cursor moves only when it was accepted. */
export const settleDeliveryCall = defineCall<SettleDeliveryInput, Settled>({
  name: 'settle-delivery',
  changes: true,
  readInput: (json) => {
    const fields = inputFields(json)
    return {
      id: fields.text('id'),
      claim: fields.text('claim'),
      outcome: readOutcome(fields.fieldsOrNull('outcome')),
      notice: readReason(fields.fieldsOrNull('notice')),
    }
  },
  run: (database, { id, claim, outcome, notice }) =>
    database.transaction((trx) => settleDelivery(trx, { id, claim }, outcome, notice)),
})

function readOutcome(fields: InputFields | null): DeliveryOutcome {
  const kind = fields?.text('kind')
  if (fields !== null && kind === 'accepted') return { kind, isSent: fields.boolean('isSent') }
  if (fields !== null && kind === 'released') return { kind, mayBeAccepted: fields.boolean('mayBeAccepted') }
  if (fields === null || kind !== 'failed')
    throw new UsageError('The input "outcome" of a call must be accepted, failed or released.')
  return {
    kind,
    error: fields.text('error'),
    retryInMs: fields.number('retryInMs'),
    mayBeAccepted: fields.boolean('mayBeAccepted'),
  }
}

const states: readonly MirrorState[] = ['good', 'failed', 'partial', 'held_too_long', 'stale']

function readReason(fields: InputFields | null): NoticeReason | null {
  const state = readState(fields?.text('state') ?? null)
  return fields === null || state === null ? null : { state, cause: fields.textOrNull('cause') }
}

export function readState(text: string | null): MirrorState | null {
  return states.find((state) => state === text) ?? null
}
