import { compareDecimals, isNegative, plainDecimal, subtract, sumOrNull } from './decimals.ts'
import { dayOrNull, earliest, latest } from './instants.ts'
import type { EventRow, ViewRow } from './rows.ts'
import { ofAccount, ofEvent, type LiveResponse, type World } from './world.ts'

/** Rule 10. */
export function money(paid: readonly LiveResponse[]) {
  const amount = sumOrNull(amountsOf(paid))
  const fee = sumOrNull(paid.map(({ payment }) => payment?.processing_fee ?? null))
  return {
    amount,
    processing_fee: fee,
    amount_after_fee: amount === null && fee === null ? null : subtract(amount ?? '0', fee ?? '0'),
  }
}

export function paymentSummary(world: World): ViewRow[] {
  const rows: ViewRow[] = []
  for (const event of world.events.values()) {
    const paid = paidResponses(world).filter(({ row }) => row.event_id === event.id)
    if (paid.length > 0) rows.push(paymentsOfEvent(world, event, paid))
  }
  return rows
}

function paymentsOfEvent(world: World, event: EventRow, paid: readonly LiveResponse[]): ViewRow {
  const made = paid.map(({ row }) => row.created_at)
  const amounts = amountsOf(paid)
    .filter((amount) => amount !== null)
    .map(plainDecimal)
    .toSorted(compareDecimals)
  return {
    ...ofEvent(world, event),
    event_day: dayOrNull(event.event_at, world.zone),
    payments: String(paid.length),
    payers: String(new Set(paid.map(({ person }) => person)).size),
    ...oddAmounts(paid),
    ...money(paid),
    smallest_amount: amounts[0] ?? null,
    largest_amount: amounts.at(-1) ?? null,
    first_payment_at: earliest(made),
    last_payment_at: latest(made),
  }
}

export function paymentsByMonth(world: World): ViewRow[] {
  const months = Map.groupBy(paidResponses(world), ({ row }) => {
    const day = dayOrNull(row.created_at, world.zone)
    return day === null ? null : `${day.slice(0, -3)}-01`
  })
  return [...months].map(([month, paid]) => ({
    ...ofAccount(world),
    month,
    events: String(new Set(paid.map(({ row }) => row.event_id)).size),
    payments: String(paid.length),
    ...oddAmounts(paid),
    ...money(paid),
  }))
}

function paidResponses(world: World): LiveResponse[] {
  return world.responses.filter(({ payment }) => payment !== undefined)
}

function amountsOf(paid: readonly LiveResponse[]): (string | null)[] {
  return paid.map(({ payment }) => payment?.amount ?? null)
}

function oddAmounts(paid: readonly LiveResponse[]) {
  const amounts = amountsOf(paid)
  return {
    without_amount: String(amounts.filter((amount) => amount === null).length),
    negative: String(amounts.filter(isNegative).length),
  }
}
