/** How history writes an item that once was: in the shape of the service, without what was null. */
import { canonical } from '../account/items.ts'
import type { EventRow, Meant, ResponseRow, SlotRow } from '../account/items.ts'

const known = new WeakMap<object, string>()

/** A row's document as canonical text; rows never change, so that each is written once. */
function textOf<Row extends object>(row: Row, documentOf: (row: Row) => Meant): string {
  const text = known.get(row) ?? canonical(documentOf(row))
  known.set(row, text)
  return text
}

export function eventText(row: EventRow): string {
  return textOf(row, eventDocument)
}

export function responseText(row: ResponseRow): string {
  return textOf(row, responseDocument)
}

function eventDocument({ id, title, event_at, description, event_type, location, extra }: EventRow): Meant {
  const fields = { id, title, event_at: utc(event_at), description, event_type, location }
  return { ...present(fields), ...extra }
}

function responseDocument(row: ResponseRow): Meant {
  const { id, kind, name, email, message, quantity, rsvp, created_at, updated_at, extra, payment, slots } =
    row
  const fields = {
    id: integer(id),
    name,
    email,
    message,
    quantity: quantity === null ? null : integer(quantity),
    rsvp,
    created_at: utc(created_at),
    updated_at: utc(updated_at),
    amount: payment?.amount ?? null,
    processing_fee: payment?.processing_fee ?? null,
    slots: slots.length > 0 ? slots.map(slotDocument) : kind === 'signup' ? [] : null,
  }
  return { ...present(fields), ...extra }
}

function slotDocument({ name, start_date, end_date, start_local, end_local, extra }: SlotRow): Meant {
  const fields = {
    name,
    start_date: withOffset(start_date, start_local),
    end_date: withOffset(end_date, end_local),
  }
  return { ...present(fields), ...extra }
}

function present(fields: { readonly [key: string]: Meant }): { readonly [key: string]: Meant } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

function integer(digits: string): Meant {
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : `#${digits}`
}

/** Fractions of a second only where there are any. */
function short(stamp: string): string {
  return stamp.replace(/\.?0+$/, '')
}

function utc(stamp: string | null): string | null {
  return stamp === null ? null : `${short(stamp.slice(0, -1))}Z`
}

function withOffset(stamp: string | null, local: string | null): string | null {
  if (stamp === null || local === null) return null
  const minutes = (Date.parse(`${local.slice(0, 19)}Z`) - Date.parse(`${stamp.slice(0, 19)}Z`)) / 60_000
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const offset = `${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
  return `${short(local)}${minutes < 0 ? '-' : '+'}${offset}`
}
