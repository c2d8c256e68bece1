import type { PaymentItem, ResponseItem, SlotItem } from '../../common/schema/tables.ts'
import type { JsonObject } from '../../common/json/exact.ts'
import type { ListPayload } from '../../common/json/parse-list.ts'
import { amountOf } from '../values/decimals.ts'
import { asText, asTimestamp, draftOf, finishExtra, take } from './row-builder.ts'
import type { Draft } from './row-builder.ts'
import { KNOWN_OF_RESPONSE, patternOfResponse, RESPONSE_FIELDS } from './fields.ts'
import type { Findings } from './item-issues.ts'
import { bigintOf } from '../values/ids.ts'
import { isPayment, kindOf } from './kind.ts'
import { LargeList } from '../list/large-list.ts'
import { normaliseList } from '../list/list.ts'
import type { Normalised, Shape } from '../list/list.ts'
import { observeResponses } from '../observe/responses.ts'
import { compareIntegers } from '../values/collation.ts'
import { slotsOf } from './slots.ts'

const NO_SLOTS: readonly SlotItem[] = []

const RESPONSE: Shape<ResponseItem> = {
  name: 'response',
  fields: RESPONSE_FIELDS,
  patternOf: patternOfResponse,
  idOf: bigintOf,
  rowOf: responseOf,
  compareIds: compareIntegers,
  updatedAt: (row) => row.updated_at,
  observe: observeResponses,
}

/** The responses to one event; rows by id, ascending. Throws nothing, whatever the items are. */
export function normaliseResponses(payload: ListPayload): Normalised<ResponseItem> {
  return normaliseList(payload, RESPONSE)
}

/** The same for more responses than memory holds: they are given piece by piece. */
export function largeResponses(): LargeList<ResponseItem> {
  return new LargeList(RESPONSE)
}

function responseOf(fields: JsonObject, id: string, findings: Findings): ResponseItem {
  const draft = draftOf(fields, findings)
  return {
    id,
    kind: kindOf(fields),
    name: take(draft, 'name', fields['name'], asText),
    email: take(draft, 'email', fields['email'], asText),
    message: take(draft, 'message', fields['message'], asText),
    quantity: take(draft, 'quantity', fields['quantity'], bigintOf),
    rsvp: take(draft, 'rsvp', fields['rsvp'], asText),
    created_at: take(draft, 'created_at', fields['created_at'], asTimestamp),
    updated_at: take(draft, 'updated_at', fields['updated_at'], asTimestamp),
    payment: isPayment(fields) ? paymentOf(fields, draft) : null,
    slots: take(draft, 'slots', fields['slots'], slotsOf) ?? NO_SLOTS,
    _extra: finishExtra(draft, KNOWN_OF_RESPONSE),
  }
}

function paymentOf(fields: JsonObject, draft: Draft): PaymentItem {
  return {
    amount: take(draft, 'amount', fields['amount'], amountOf),
    processing_fee: take(draft, 'processing_fee', fields['processing_fee'], amountOf),
  }
}
