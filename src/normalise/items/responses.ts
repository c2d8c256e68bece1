import type { PaymentItem, ResponseItem, SlotItem } from '../../common/schema/tables.ts'
import type { JsonObject } from '../../common/json/exact.ts'
import type { ListPayload } from '../../common/json/parse-list.ts'
import { readAmount } from '../values/decimals.ts'
import { readText, readTimestamp, createRowBuilder, collectUnknown, readField } from './row-builder.ts'
import type { RowBuilder } from './row-builder.ts'
import { RESPONSE_FIELD_SET, responseFieldMask, RESPONSE_FIELDS } from './fields.ts'
import type { ItemIssues } from './item-issues.ts'
import { readBigint } from '../values/ids.ts'
import { isPayment, kindOf } from './kind.ts'
import { LargeList } from '../list/large-list.ts'
import { normaliseList } from '../list/list.ts'
import type { NormalisedList, ItemType } from '../list/list.ts'
import { observeResponses } from '../observe/responses.ts'
import { compareIntegerTexts } from '../values/collation.ts'
import { readSlots } from './slots.ts'

const NO_SLOTS: readonly SlotItem[] = []

const RESPONSE_TYPE: ItemType<ResponseItem> = {
  name: 'response',
  fields: RESPONSE_FIELDS,
  fieldMask: responseFieldMask,
  readId: readBigint,
  buildRow: buildResponse,
  compareIds: compareIntegerTexts,
  updatedAt: (row) => row.updated_at,
  createObserver: observeResponses,
}

/** The responses to one event; rows by id, ascending. Throws nothing, whatever the items are. */
export function normaliseResponses(payload: ListPayload): NormalisedList<ResponseItem> {
  return normaliseList(payload, RESPONSE_TYPE)
}

/** The same for more responses than memory holds: they are given chunk by chunk. */
export function largeResponses(): LargeList<ResponseItem> {
  return new LargeList(RESPONSE_TYPE)
}

function buildResponse(fields: JsonObject, id: string, issues: ItemIssues): ResponseItem {
  const builder = createRowBuilder(fields, issues)
  return {
    id,
    kind: kindOf(fields),
    name: readField(builder, 'name', fields['name'], readText),
    email: readField(builder, 'email', fields['email'], readText),
    message: readField(builder, 'message', fields['message'], readText),
    quantity: readField(builder, 'quantity', fields['quantity'], readBigint),
    rsvp: readField(builder, 'rsvp', fields['rsvp'], readText),
    created_at: readField(builder, 'created_at', fields['created_at'], readTimestamp),
    updated_at: readField(builder, 'updated_at', fields['updated_at'], readTimestamp),
    payment: isPayment(fields) ? buildPayment(fields, builder) : null,
    slots: readField(builder, 'slots', fields['slots'], readSlots) ?? NO_SLOTS,
    _extra: collectUnknown(builder, RESPONSE_FIELD_SET),
  }
}

function buildPayment(fields: JsonObject, builder: RowBuilder): PaymentItem {
  return {
    amount: readField(builder, 'amount', fields['amount'], readAmount),
    processing_fee: readField(builder, 'processing_fee', fields['processing_fee'], readAmount),
  }
}
