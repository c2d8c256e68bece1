/**
 * The slow and obvious model of a run: from the mirror before it, what was asked of it, and the answers that the
 * service gave, what the mirror must be afterwards. Nothing of how the program does it is known here.
 */
import { isDue, nextStep } from './due.ts'
import type { Heard } from './service.ts'
import { isMuch, rule } from './guard.ts'
import type { Circumstances } from './guard.ts'
import { absencesOf, allowanceOf, readTwice } from './absences.ts'
import { endOf, eventsRead, responsesRead } from './lists.ts'
import type { ListRead } from './lists.ts'
import { isSame, LIST, liveCounts, unitOf, unknownList, withoutResponses, withRows } from './mirror.ts'
import type { Facts, Mirror, Unit } from './mirror.ts'
import type { Load } from './stored.ts'
import type { EventRow, ResponseRow } from './truth.ts'
import { inOrderAgain, requestsOf, unsureOf } from './second-readings.ts'
import { removeVanished } from './vanished.ts'

/** What was asked of a run, as far as it matters to the mirror. */
export interface Asked {
  readonly mode: 'sync' | 'backfill'
  readonly all: boolean
  readonly accept: boolean
  readonly named: readonly string[] | null
  /** Of a backfill of the whole account: the number of the run that it began with. */
  readonly backfill: number | null
}

/** What a run that came to its end must leave behind and report. */
export interface Prediction {
  readonly after: Mirror
  /** Each list as its first reading left it. */
  readonly readOnce: Mirror
  /** Events whose responses must be read a second time, and whether the list of events must be. */
  readonly again: ReadonlySet<string>
  readonly listsAgain: boolean
  readonly listed: number
  /** Events that must be read. */
  readonly due: ReadonlySet<string>
  readonly changed: number
  readonly failed: ReadonlySet<string>
  /** Events that go into batches, in the order in which they were answered; of the others only that they were read is stored. */
  readonly loads: readonly Load[]
  readonly left: readonly string[]
  /** The brake was pulled: which lists it holds depends on the order in which they were read. */
  readonly braked: boolean
}

/** Minutes after which a hold may be confirmed. */
export const HOLD_FOR = 60

/** @param now minutes of simulated time */
export function predict(before: Mirror, asked: Asked, heard: readonly Heard[], now: number): Prediction {
  const first = endOf(heard, 'events')
  if (first?.end !== 'answered') throw new Error('without a list of events there is nothing to predict')
  const list = eventsRead(first)
  const start = liveCounts(before)
  const around = { now, holdFor: HOLD_FOR, accept: asked.accept, allowed: Math.max(100, start.total / 10) }
  let spent = { removed: 0, braked: false }
  const after = new Map(before)
  const readable = readableFrom(list, before)
  const candidates = readable.filter(({ id }) => asked.named?.includes(id) ?? true)
  const isAll = asked.mode === 'backfill' || asked.all || asked.named !== null
  const unread = candidates.filter((record) => !isReadBy(asked.backfill, unitOf(before, record.id), record))
  const due = unread.filter((record) => isAll || isDue(unitOf(before, record.id), record, now))
  const failed = new Set<string>()
  const missing = new Set<string>()
  const loads: Load[] = []
  const left: string[] = []
  const changed = new Set<string>()

  for (const record of inOrder(due, heard)) {
    const end = endOf(heard, `/${record.id}`)
    const unit = unitOf(before, record.id)
    if (end === undefined) continue
    const isRecordSame = isSame(unit.record, record)
    if (end.end === 'same' && !isRecordSame) changed.add(record.id)
    if (end.end === 'same' || isKnown(asked, unit, end)) {
      if (isRecordSame) left.push(record.id)
      else loads.push({ id: record.id, rows: 1, hasList: false })
    } else if (end.end === 'answered') {
      loads.push({ id: record.id, rows: 1 + responsesRead(end).rows.size, hasList: true })
    }
    if (end.end === 'missing') missing.add(record.id)
    else if (end.end === 'same') after.set(record.id, leave(unit, record, now))
    else if (end.end !== 'answered') failed.add(record.id)
    else {
      const read = responsesRead(end)
      const { unit: next, unconfirmed, brakes } = apply(unit, record, read, { ...around, ...spent })
      if (isOther(unit, next)) changed.add(record.id)
      spent = { removed: spent.removed + unconfirmed, braked: spent.braked || brakes }
      const step = nextStep(record, unit.facts?.step ?? null, changed.has(record.id))
      const facts = { ...(next.facts ?? unknownList), step }
      after.set(record.id, { ...next, facts: withBackfill(facts, unit, asked.backfill) })
    }
  }

  const readOnce = new Map(after)
  const allowance = allowanceOf(requestsOf(heard))
  const twice = readTwice(
    loads.flatMap(({ id, hasList }) => (hasList ? unsureOf(after, heard, id) : [])),
    allowance,
  )
  const again = new Set(twice.map(({ id }) => id))
  const records = new Map(due.map((record) => [record.id, record]))
  for (const id of inOrderAgain(again, heard)) {
    const record = records.get(id)
    const end = endOf(heard, `again/${id}`)
    if (record === undefined || end?.end !== 'answered') continue
    const unit = unitOf(after, id)
    const {
      unit: next,
      unconfirmed,
      brakes,
    } = apply(unit, record, responsesRead(end), { ...around, ...spent })
    if (isOther(unit, next)) changed.add(id)
    spent = { removed: spent.removed + unconfirmed, braked: spent.braked || brakes }
    const step = nextStep(record, unitOf(before, id).facts?.step ?? null, changed.has(id))
    const facts = { ...(next.facts ?? unknownList), step }
    after.set(id, { ...next, facts: withBackfill(facts, unit, asked.backfill) })
  }

  const second = endOf(heard, 'again')
  const looked = second?.end === 'answered' ? eventsRead(second) : list
  const isNeeded = missing.size > 0
  let listsAgain = isNeeded
  const stillListed = idsOf(asked.named === null ? looked : list)
  for (const id of missing) if (stillListed.has(id)) failed.add(id)
  if (asked.named === null) {
    // What one of the two looks shows is there, unless it was asked for and not found.
    const first = [...idsOf(list)].filter((id) => !missing.has(id))
    const used = twice.reduce((sum, { pages }) => sum + pages, 0)
    const looks = { list, looked, first: new Set(first), present: new Set([...first, ...stillListed]) }
    const vanished = removeVanished(after, looks, start, { ...around, ...spent })
    const listOnce = { id: LIST, pages: list.pages, unsure: vanished.unsureAtFirst }
    listsAgain ||= readTwice([listOnce], allowance - used).length > 0
    spent = { ...spent, braked: spent.braked || vanished.brakes }
    const unit = unitOf(after, LIST)
    const facts = withBackfill(unit.facts ?? unknownList, unitOf(before, LIST), asked.backfill)
    after.set(LIST, { ...unit, facts })
  }
  for (const id of failed) {
    const unit = unitOf(after, id)
    const end = endOf(heard, `/${id}`)?.end
    const failure = { failing: true, refused: end === 'refused', unanswered: end === 'passing' }
    after.set(id, { ...unit, facts: { ...(unit.facts ?? unknownList), ...failure } })
  }
  const { braked } = spent
  const ids = new Set(due.map(({ id }) => id))
  const counts = { listed: readable.length, changed: changed.size }
  return { after, readOnce, again, listsAgain, ...counts, due: ids, failed, loads, left, braked }
}

function isOther(one: Unit, other: Unit): boolean {
  const plain = ({ record, responses }: Unit) => [record, Object.fromEntries(responses)]
  return !isSame(plain(one), plain(other))
}

/**
 * The records of the events whose responses can be read: those listed, and for one whose record as listed cannot be
 * stored the live one, if there is one; once, also where two pages have it.
 */
export function readableFrom({ rows, rejectedIds }: ListRead<EventRow>, mirror: Mirror): readonly EventRow[] {
  return [...rows.values(), ...[...new Set(rejectedIds)].flatMap((id) => unitOf(mirror, id).record ?? [])]
}

/** A broken-off backfill is continued: what it has read is not read again, unless it failed, is held, or its record changed. */
function isReadBy(backfill: number | null, { facts, record: known }: Unit, record: EventRow): boolean {
  if (backfill === null || facts === null || facts.failing) return false
  if (facts.held.size > 0 || facts.unconfirmed.size > 0) return false
  return facts.backfill === backfill && isSame(known, record)
}

function withBackfill(facts: Facts, { facts: former }: Unit, backfill: number | null): Facts {
  return { ...facts, backfill: backfill ?? former?.backfill ?? null }
}

/** The list was sent as it was when it was applied last, page by page: nothing is looked into. */
function isKnown({ mode }: Asked, { facts }: Unit, end: Heard): boolean {
  if (mode === 'backfill' || facts === null || facts.sent === null || end.end !== 'answered') return false
  return facts.sent === responsesRead(end).sent
}

/** "Not modified": the responses stay as they are, whatever became of the event's own record. */
function leave(unit: Unit, record: EventRow, now: number): Unit {
  const facts = unit.facts ?? unknownList
  const step = nextStep(record, facts.step, !isSame(unit.record, record))
  return {
    ...withRows(unit, record, []),
    facts: { ...facts, checkedAt: now, failing: false, refused: false, unanswered: false, step },
  }
}

/** In the order in which they were answered. */
function inOrder(due: readonly EventRow[], heard: readonly Heard[]): readonly EventRow[] {
  const place = ({ id }: EventRow) => heard.findLastIndex(({ subject }) => subject === `/${id}`)
  return due.toSorted((a, b) => place(a) - place(b))
}

function apply(unit: Unit, record: EventRow, read: ListRead<ResponseRow>, around: Circumstances) {
  const kept = new Set([...read.rows.keys(), ...read.rejectedIds])
  const absent = [...unit.responses.keys()].filter((id) => !kept.has(id))
  const { sure, unsure } = absencesOf(absent, read, unit.facts)
  const ruling = rule(
    {
      absent: sure,
      rows: sure.length,
      isMuch: isMuch(sure.length, unit.responses.size),
      live: unit.responses.size,
      lengths: [read.length],
      hasNamelessReject: read.hasNamelessReject,
      sign: read.sign,
      held: unit.facts?.held ?? new Map(),
      isEventsList: false,
    },
    around,
  )
  const next = withoutResponses(withRows(unit, record, read.rows.values()), ruling.remove)
  const { now } = around
  // Rows are live that the list lacks.
  const isHeld = ruling.held.size > 0 || unsure.length > 0
  const known = unit.facts
  // A validator that came with two different lists is worth nothing.
  const isContradicted =
    known !== null && known.body !== null && known.etag === read.etag && known.body !== read.body
  const isUsable = !isHeld && !isContradicted && read.sign === null
  const facts: Facts = {
    ...unknownList,
    checkedAt: now,
    readAt: now,
    asides: read.asides,
    etag: isUsable ? read.etag : null,
    body: isHeld ? null : read.body,
    sent: isHeld || read.sign === 'paging' ? null : read.sent,
    held: ruling.held,
    unconfirmed: new Set(unsure),
  }
  return { ...ruling, unit: { ...next, rejects: read.rejects, facts } }
}

function idsOf({ rows, rejectedIds }: ListRead<EventRow>): ReadonlySet<string> {
  return new Set([...rows.keys(), ...rejectedIds])
}
