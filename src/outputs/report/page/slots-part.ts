import { html } from 'hono/html'
import type { CountedRows } from '../../../mirror/answers/report/document.ts'
import type { ViewRow } from '../../../common/schema/view-columns.ts'
import { formatCount } from '../../../common/text/number.ts'
import { formatNumber, formatWallClock } from '../formats.ts'
import { andMore, drawBar, drawTable } from './table.ts'
import { textOf, titleOf, type Html } from './text.ts'

/** Slots of the next 56 days that need people. */
export function drawThinSlots({ total, rows }: CountedRows<ViewRow<'thin_slots'>>, withEvent: boolean): Html {
  if (rows.length === 0) return html`<p>No slot of the next 56 days that somebody takes needs people.</p>`
  return html`${drawTable({
    id: 'thin-slots',
    caption: `${formatCount(total, 'slot')} of the next 56 days that ${total === '1' ? 'needs' : 'need'} people, on the clock of the place`,
    columns: [
      { head: 'Slot', kind: 'title' },
      { head: 'People', kind: 'number' },
      { head: 'Wanted', kind: 'number' },
      { head: '', kind: 'bar' },
      { head: 'Missing', kind: 'number' },
    ],
    rows: rows.map((slot) => [
      nameOf(slot, withEvent ? html`, ${titleOf(slot)}` : ''),
      formatNumber(slot.people),
      formatNumber(slot.wanted),
      drawBar(Number(slot.people), slot.wanted),
      html`<span class="lacks">${formatNumber(slot.missing)}</span>`,
    ]),
  })}${andMore(total, rows.length)}`
}

/** All slots of an event that somebody takes. */
export function drawSlots({ total, rows }: CountedRows<ViewRow<'slot_summary'>>): Html {
  if (rows.length === 0) return html`<p>Nobody has signed up for a slot.</p>`
  return html`${drawTable({
    id: 'slots',
    caption: `${formatCount(total, 'slot')} that somebody takes, on the clock of the place`,
    columns: [
      { head: 'Slot', kind: 'title' },
      { head: 'Sign-ups', kind: 'number' },
      { head: 'People', kind: 'number' },
      { head: 'Wanted', kind: 'number' },
      { head: '', kind: 'bar' },
    ],
    rows: rows.map((slot) => [
      nameOf(slot, ''),
      formatNumber(slot.sign_ups),
      formatNumber(slot.people),
      formatNumber(slot.wanted),
      drawBar(Number(slot.people), slot.wanted),
    ]),
  })}${andMore(total, rows.length)}`
}

/** The slot, and below it when it starts and, where that is not plain, of which event it is. */
function nameOf(slot: Pick<ViewRow<'thin_slots'>, 'slot_name' | 'start_local'>, event: Html | ''): Html {
  const name = textOf(slot.slot_name ?? '', '(no name)')
  return html`${name}<span class="muted">${localTime(slot.start_local)}${event}</span>`
}

function localTime(start: string | null): Html | string {
  return start === null ? 'no time' : html`<time datetime="${start}">${formatWallClock(start)}</time>`
}
