import { html } from 'hono/html'
import type { CountedRows } from '../../../mirror/answers/report/document.ts'
import type { ViewRow } from '../../../common/schema/view-columns.ts'
import { formatCount } from '../../../common/text/number.ts'
import { formatNumber, formatWallClock } from '../formats.ts'
import { andMore, drawBar, drawTable, type PageColumn } from './table.ts'
import { textOf, titleOf, type Html } from './text.ts'

const peopleColumns: readonly PageColumn<Pick<ViewRow<'thin_slots'>, 'people' | 'wanted'>>[] = [
  { head: 'People', kind: 'number', cell: ({ people }) => formatNumber(people) },
  { head: 'Wanted', kind: 'number', cell: ({ wanted }) => formatNumber(wanted) },
  { head: '', kind: 'bar', cell: ({ people, wanted }) => drawBar(Number(people), wanted) },
]

/** Slots of the next 56 days that need people. */
export function drawThinSlots({ total, rows }: CountedRows<ViewRow<'thin_slots'>>, withEvent: boolean): Html {
  if (rows.length === 0) return html`<p>No slot of the next 56 days that somebody takes needs people.</p>`
  return html`${drawTable({
    id: 'thin-slots',
    caption: `${formatCount(total, 'slot')} of the next 56 days that ${total === '1' ? 'needs' : 'need'} people, on the clock of the place`,
    columns: [
      {
        head: 'Slot',
        kind: 'title',
        cell: (slot) => nameOf(slot, withEvent ? html`, ${titleOf(slot)}` : ''),
      },
      ...peopleColumns,
      {
        head: 'Missing',
        kind: 'number',
        cell: ({ missing }) => html`<span class="lacks">${formatNumber(missing)}</span>`,
      },
    ],
    rows,
  })}${andMore(total, rows.length)}`
}

/** All slots of an event that somebody takes. */
export function drawSlots({ total, rows }: CountedRows<ViewRow<'slot_summary'>>): Html {
  if (rows.length === 0) return html`<p>Nobody has signed up for a slot.</p>`
  return html`${drawTable({
    id: 'slots',
    caption: `${formatCount(total, 'slot')} that somebody takes, on the clock of the place`,
    columns: [
      { head: 'Slot', kind: 'title', cell: (slot) => nameOf(slot, '') },
      { head: 'Sign-ups', kind: 'number', cell: ({ sign_ups }) => formatNumber(sign_ups) },
      ...peopleColumns,
    ],
    rows,
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
