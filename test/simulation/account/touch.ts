/** Changes one part of a response only, so that nothing else tells that it changed: an amount, or one slot less. */
import type { Chance } from './chance.ts'
import { isGood } from './items.ts'
import type { Good, ResponseItem, ResponseRow } from './items.ts'

/** Null where it finds nothing to change. */
export function touch(item: ResponseItem, chance: Chance): ResponseItem | null {
  if (!isGood(item)) return null
  return withAmount(item, chance) ?? withoutSlot(item)
}

function withAmount({ text, row, asides }: Good<ResponseRow>, chance: Chance): ResponseItem | null {
  const { payment } = row
  if (payment === null || payment.amount === null) return null
  const amount = `${chance.int(201, 400)}.00`
  const changed = text.replace(`"amount":"${payment.amount}"`, `"amount":"${amount}"`)
  return changed === text ? null : { text: changed, row: { ...row, payment: { ...payment, amount } }, asides }
}

/** Only where a parse loses nothing: without amounts and long numbers, and where nothing was set aside. */
function withoutSlot({ text, row, asides }: Good<ResponseRow>): ResponseItem | null {
  if (row.payment !== null || asides > 0 || row.slots.length < 2 || /\d{16}/.test(text)) return null
  const parsed: { slots: unknown[] } = JSON.parse(text)
  parsed.slots.pop()
  return { text: JSON.stringify(parsed), row: { ...row, slots: row.slots.slice(0, -1) }, asides }
}
