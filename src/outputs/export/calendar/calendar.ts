import { createHash } from 'node:crypto'
import ical, {
  escape,
  ICalCalendarMethod,
  ICalEventStatus,
  ICalEventTransparency,
  type ICalEventData,
} from 'ical-generator'
import { columnName } from '../column.ts'
import { LinkError } from '../link-error.ts'
import { readRows, type Row } from '../read-rows.ts'
import {
  CALENDAR_COLUMNS,
  calendarQueries,
  type CalendarColumn,
  type CalendarView,
} from './calendar-queries.ts'
import type { LinkBodyFormat, LinkSource } from '../formats/format.ts'

/** How often programs are asked to look again. */
const REFRESH_SECONDS = 15 * 60
/** More would not be taken by calendar programs. */
const MAX_ENTRIES = 10_000
/** Of all texts, in UTF-16 code units: the library makes one string of them, at thirty times the memory. */
const MAX_TEXT = 4_000_000
/** `SEQUENCE` counts the seconds from here to the last change: it only grows, also where history was pruned. */
const SEQUENCE_EPOCH_MS = Date.UTC(2020, 0, 1)

/**
 * iCalendar (RFC 5545): an entry for each event, or for each slot. What went is `STATUS:CANCELLED`; an entry keeps its `UID`
 * for ever, and `SEQUENCE` and `LAST-MODIFIED` tell its last change, so that equal rows make equal bytes.
 */
export const calendar: LinkBodyFormat = {
  contentType: 'text/calendar; charset=utf-8; method=PUBLISH',
  select: columnName,
  parts: async function* (source) {
    const view = source.name as CalendarView
    const { title, entry } = forms[view]
    const entries: ICalEventData[] = []
    let size = 0
    for await (const rows of readRows(source.ask, calendarQueries[view](source))) {
      for (const value of rows.flat()) if (typeof value === 'string') size += value.length
      // guard: size of a calendar
      if (entries.length + rows.length > MAX_ENTRIES || size > MAX_TEXT)
        throw new LinkError(
          'too_large',
          `this calendar has more than ${MAX_ENTRIES} entries, or more than 4 MB of text: make a link for one event, with --event`,
        )
      for (const row of rows) entries.push(entry(readEntry(row), source))
    }
    const calendar = ical({
      // Texts of entries are escaped by the library, this one is not.
      name: escape(plain(`${title} (${source.account.name})`), false),
      prodId: { company: 'headcount', product: 'links', language: 'EN' },
      method: ICalCalendarMethod.PUBLISH,
      ttl: REFRESH_SECONDS,
      events: entries,
    })
    // Each line of RFC 5545 ends with CRLF, the last one too.
    yield `${calendar.toString()}\r\n`
  },
}

/** A row of a query of calendar-queries.ts. */
type Entry = Readonly<Record<CalendarColumn, string | null>>

function readEntry(row: Row): Entry {
  return Object.fromEntries(
    CALENDAR_COLUMNS.map((name, at) => [name, typeof row[at] === 'string' ? row[at] : null]),
  ) as Entry
}

/** A text as an entry may have it: with line feeds alone, and without other control characters. */
function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '')
}

/** A name that nobody sees is none. */
function unlessBlank(text: string | null): string | null {
  return text?.trim() ? text : null
}

interface Form {
  readonly title: string
  readonly entry: (entry: Entry, source: LinkSource) => ICalEventData
}

const forms: Readonly<Record<CalendarView, Form>> = {
  events: { title: 'Events', entry: eventEntry },
  event_summary: { title: 'Events', entry: eventEntry },
  slots: { title: 'Slots', entry: slotEntry },
  slot_summary: { title: 'Slots', entry: slotEntry },
  thin_slots: { title: 'Thin slots', entry: slotEntry },
}

function eventEntry(entry: Entry, source: LinkSource): ICalEventData {
  return {
    ...common(entry),
    id: uid([source.account.id, entry.event_id]),
    summary: plain(unlessBlank(entry.title) ?? `Event ${entry.event_id}`),
  }
}

function slotEntry(entry: Entry, source: LinkSource): ICalEventData {
  const event = unlessBlank(entry.title) ?? `event ${entry.event_id}`
  const slot = unlessBlank(entry.slot)
  return {
    ...common(entry),
    id: uid([source.account.id, entry.event_id, entry.slot, entry.start, entry.end]),
    summary: plain(slot === null ? event : `${slot}, ${event}`),
  }
}

function common({ start, end, location, text, names, changed, cancelled }: Entry) {
  const moment = new Date(changed ?? SEQUENCE_EPOCH_MS)
  const second = (time: string) => Math.floor(new Date(time).getTime() / 1000)
  const isAfter = start !== null && end !== null && second(end) > second(start)
  return {
    start: new Date(start ?? NaN),
    ...(isAfter && { end: new Date(end) }),
    ...(location !== null && { location: plain(location) }),
    description: plain([names, text].filter((line) => line !== null && line !== '').join('\n')) || null,
    // guard: equal calendars
    stamp: moment,
    lastModified: moment,
    sequence: Math.max(0, Math.floor((moment.getTime() - SEQUENCE_EPOCH_MS) / 1000)),
    // guard: cancelled entries
    status: cancelled === 'true' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
    transparency: ICalEventTransparency.TRANSPARENT,
  }
}

/** What tells an entry apart: the same in every copy of the mirror that keeps the numbers of accounts. */
function uid(parts: readonly (string | number | null)[]): string {
  return `${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)}@headcount`
}
