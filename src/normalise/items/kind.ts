import type { ResponseKind } from '../../common/schema/tables.ts'
import type { JsonObject, JsonValue } from '../../common/json/exact.ts'

/**
 * Which shape a response has, by the marks among its own fields. A value that must be set aside still marks;
 * null counts as absent, and so does `slots: []` beside another mark.
 */
export function kindOf(fields: JsonObject): ResponseKind {
  const slots = fields['slots']
  const hasNoSlots = Array.isArray(slots) && slots.length === 0
  const isReply = isPresent(fields['rsvp'])
  const isPaid = isPayment(fields)
  const isSignup = isPresent(slots) && !hasNoSlots

  if (Number(isReply) + Number(isPaid) + Number(isSignup) > 1) return 'mixed'
  if (isReply) return 'reply'
  if (isPaid) return 'payment'
  if (isSignup || hasNoSlots) return 'signup'
  return isPresent(fields['quantity']) ? 'reply' : 'bare'
}

/** Whether the response carries the mark of a payment, and so has a row in `payments`. */
export function isPayment(fields: JsonObject): boolean {
  return isPresent(fields['amount']) || isPresent(fields['processing_fee'])
}

function isPresent(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null
}
