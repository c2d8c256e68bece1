/**
 * What holds after every run, whatever went wrong in it: an event is wholly old or wholly new; nothing live is
 * lost without proof that the service dropped it; the key stands nowhere; history has no gap and replays.
 */
import { expect } from 'vitest'
import { isObject, parseWithSource, type JsonValue } from '../../../src/common/json/exact.ts'
import type { RunReport } from '../../../src/common/schema/tables.ts'
import type { Account } from '../accounts/account.ts'
import { idOf, meaningOf } from '../accounts/wire-item.ts'
import type { Kind } from '../accounts/wire-item.ts'
import type { Contents, Version } from './contents.ts'
import { testKey } from '../http/reading.ts'

/** The part of the key that no encoding changes. */
const canary = testKey.slice(0, 'canary-7d1f'.length)

interface LiveEvent {
  record: string | undefined
  readonly responses: Map<string, string | undefined>
}

/** The events of the live tables in their meaning, by id. */
export function liveEvents({ versions }: Contents): Map<string, LiveEvent> {
  return eventsOf(versions.filter(({ to }) => to === Infinity))
}

function eventsOf(versions: readonly Version[]): Map<string, LiveEvent> {
  const events = new Map<string, LiveEvent>()
  for (const { event_id, response_id, document } of versions) {
    const event = events.get(event_id) ?? { record: undefined, responses: new Map<string, string>() }
    events.set(event_id, event)
    const kind = response_id === null ? 'event' : 'response'
    for (const [, meaning] of byId(kind, [document])) {
      if (response_id === null) event.record = meaning
      else event.responses.set(response_id, meaning)
    }
  }
  return events
}

/** The events of the account in the same form. */
export function servedEvents(account: Account): Map<string, LiveEvent> {
  const events = new Map<string, LiveEvent>()
  for (const [id, record] of byId('event', account.events)) {
    events.set(id, { record, responses: byId('response', account.responses.get(id) ?? []) })
  }
  return events
}

/** Items by id, in their meaning; what has no usable id is left out. */
function byId(kind: Kind, list: readonly unknown[]): Map<string, string> {
  if (!Array.isArray(list)) return new Map()
  return new Map(list.flatMap((item) => entryOf(kind, JSON.stringify(item) ?? 'null')))
}

/** The id and the meaning of an item, or nothing. */
type Entry = readonly (readonly [string, string])[]

/** Most items are what they were at the look before. */
const known: Readonly<Record<Kind, Map<string, Entry>>> = { event: new Map(), response: new Map() }
const MAX_KNOWN = 20_000

function entryOf(kind: Kind, json: string): Entry {
  const before = known[kind].get(json)
  if (before !== undefined) return before
  const entry = readEntry(kind, parseWithSource(json))
  if (known[kind].size >= MAX_KNOWN) known[kind].clear()
  known[kind].set(json, entry)
  return entry
}

function readEntry(kind: Kind, item: JsonValue): Entry {
  if (!isObject(item)) return []
  const id = idOf(kind, item)
  return id === null ? [] : [[id, meaningOf(kind, item)]]
}

/** Each event is what it was, or what the service answers now; rows that are held or rejected are what they were. */
export function expectWhole(before: Contents, after: Contents, account: Account): void {
  const [old, live, served] = [liveEvents(before), liveEvents(after), servedEvents(account)]
  for (const id of new Set([...old.keys(), ...live.keys()])) {
    const event = live.get(id)
    const now = served.get(id)
    if (isSame(event, old.get(id))) continue
    const wanted = now && withKept(now, old.get(id), keptBack(after, id), isRecordRejected(after, id))
    expect(event, `event ${id} is neither old nor new`).toEqual(wanted)
  }
}

function isSame(one: LiveEvent | undefined, other: LiveEvent | undefined): boolean {
  return JSON.stringify(one, mapsToo) === JSON.stringify(other, mapsToo)
}

function mapsToo(_key: string, value: unknown): unknown {
  return value instanceof Map ? [...value].toSorted(([a], [b]) => (a < b ? -1 : 1)) : value
}

function withKept(
  event: LiveEvent,
  old: LiveEvent | undefined,
  kept: ReadonlySet<string>,
  keepsRecord: boolean,
): LiveEvent {
  const responses = new Map(event.responses)
  for (const id of kept) {
    responses.delete(id)
    if (old?.responses.has(id)) responses.set(id, old.responses.get(id))
  }
  return { record: keepsRecord ? old?.record : event.record, responses }
}

/** Ids of an event's responses that stay as they were: held, not confirmed absent, or rejected. */
function keptBack(contents: Contents, event_id: string): ReadonlySet<string> {
  const { held = [], unconfirmed = [] } = contents.states.get(event_id) ?? {}
  const rejected = rejectsOf(contents).flatMap((reject) =>
    reject.event_id === event_id ? (/"id":\s*"?(\d+)/.exec(reject.payload)?.[1] ?? []) : [],
  )
  return new Set([...held.flatMap(({ ids }) => ids), ...unconfirmed, ...rejected])
}

/** The event list has the event, but not so that it could be stored. */
function isRecordRejected(contents: Contents, id: string): boolean {
  return rejectsOf(contents).some(
    ({ event_id, payload }) => event_id === null && payload.includes(`"id":${JSON.stringify(id)}`),
  )
}

function rejectsOf(contents: Contents) {
  return contents
    .rows('rejects')
    .map((row) => JSON.parse(row) as { event_id: string | null; payload: string })
}

/** What left the live tables is no longer at the service, and stands in history as deleted. */
export function expectNothingLost(before: Contents, after: Contents, account: Account): void {
  const served = servedEvents(account)
  const live = new Set(after.versions.filter(({ to }) => to === Infinity).map(nameOf))
  const ended = after.versions.filter(({ end }) => end === 'delete')
  for (const version of before.versions.filter(({ to }) => to === Infinity)) {
    if (live.has(nameOf(version))) continue
    const { event_id, response_id } = version
    const event = served.get(event_id)
    const isServed = response_id === null ? event !== undefined : event?.responses.has(response_id)
    expect(isServed ?? false, `${nameOf(version)} was lost, and the service has it`).toBe(false)
    const deleted = ended.some((end) => nameOf(end) === nameOf(version) && end.to >= version.from)
    expect(deleted, `${nameOf(version)} was lost without history`).toBe(true)
  }
  expect(after.orphans, 'rows that hang on nothing').toBe(0)
}

function nameOf({ event_id, response_id }: Version): string {
  return response_id === null ? `event ${event_id}` : `response ${event_id}/${response_id}`
}

/** The key stands in no table, and in nothing that was said. */
export function expectNoKey(contents: Contents, said: string): void {
  expect(contents.rows().filter((row) => row.includes(canary))).toEqual([])
  expect(said).not.toContain(canary)
}

/** Each version begins where the one before it ended, and only a deletion leaves a gap. */
export function expectContiguous({ versions }: Contents): void {
  for (const [name, group] of Map.groupBy(versions, nameOf)) {
    const spans = group.toSorted((a, b) => a.from - b.from || a.to - b.to)
    for (const [place, span] of spans.entries()) {
      const next = spans[place + 1]
      expect(span.to, `${name}: a span ends before it begins`).toBeGreaterThanOrEqual(span.from)
      if (next === undefined) {
        expect(span.end, `${name}: a version ended by an update has no next one`).not.toBe('update')
      } else if (span.end === 'update') expect(next.from, `${name}: a gap`).toBe(span.to)
      else expect(next.from, `${name}: two versions at once`).toBeGreaterThanOrEqual(span.to)
      const came = spans.slice(0, place).findLast(({ end }) => end === 'delete')?.to ?? 0
      if (span.firstSeen !== null) expect(span.firstSeen, `${name}: came back`).toBeGreaterThanOrEqual(came)
    }
  }
}

/** What was live at an earlier moment can be told from history. */
export function expectReplay(moment: Contents, { versions }: Contents): void {
  const then = versions.filter(({ from, to }) => from <= moment.at && moment.at < to)
  expect(eventsOf(then)).toEqual(liveEvents(moment))
}

/** Rejects whose text their owner has not accepted. */
function openRejects(contents: Contents): number {
  const names = (table: 'rejects' | 'accepted_rejects') =>
    contents.rows(table).map((row) => {
      const { account_id, event_id, sha256 } = JSON.parse(row) as Record<string, unknown>
      return JSON.stringify([account_id, event_id, sha256])
    })
  const accepted = new Set(names('accepted_rejects'))
  return names('rejects').filter((name) => !accepted.has(name)).length
}

/** A report agrees with the mirror: its counts with what came and went, its status with its counts. */
export function expectTrue(report: RunReport, before: Contents, after: Contents): void {
  for (const table of ['events', 'responses', 'payments', 'slots'] as const) {
    const { inserted, deleted } = report.rows[table]
    expect(inserted - deleted, `rows of ${table}`).toBe(after.rows(table).length - before.rows(table).length)
  }
  const held = [...after.states.values()].flatMap((state) => state.held.flatMap(({ ids }) => ids))
  expect(report.held).toBe(held.length)
  const unconfirmed = [...after.states.values()].flatMap((state) => state.unconfirmed)
  expect(report.unconfirmed).toBe(unconfirmed.length)
  expect(report.rejected).toBe(openRejects(after))
  expect(after.lastRun?.status).toBe(report.status)
  if (report.status !== 'succeeded') return
  const { due, unchanged, changed, failed } = report.events
  expect({ held: report.held, rejected: report.rejected, failed, errors: report.errors_total }).toEqual({
    held: 0,
    rejected: 0,
    failed: 0,
    errors: 0,
  })
  expect(unchanged + changed).toBeLessThanOrEqual(due)
}
