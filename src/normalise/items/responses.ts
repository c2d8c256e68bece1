import type { PaymentItem, ResponseItem, SlotItem } from '../../common/schema/tables.ts'
import type { JsonObject } from '../../common/json/exact.ts'
import { readAmount } from '../values/decimals.ts'
import { readText, readTimestamp, createRowBuilder, collectUnknown, readField } from './row-builder.ts'
import type { RowBuilder } from './row-builder.ts'
import { RESPONSE_FIELD_SET, RESPONSE_FIELDS } from '../../common/schema/field-names.ts'
import type { ItemIssues } from './item-issues.ts'
import { readBigint } from '../values/ids.ts'
import { isPayment, kindOf } from './kind.ts'
import type { ItemType } from './normalise-item.ts'
import { readSlots } from './slots.ts'

const NO_SLOTS: readonly SlotItem[] = []

export const RESPONSE: ItemType<ResponseItem> = {
  fields: RESPONSE_FIELDS,
  readId: readBigint,
  buildRow: buildResponse,
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
