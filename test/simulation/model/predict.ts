/**
 * The slow and obvious model of a run: from the mirror before it, what was asked of it, and the answers that the
 * service gave, what the mirror must be afterwards. Nothing of how the program does it is known here.
 */
import { isDue, nextStep } from './due.ts'
import { areMostEmptied, isEmptied } from './emptied-lists.ts'
import type { ListSeen } from './emptied-lists.ts'
import type { Heard } from '../service/service.ts'
import type { Circumstances, Clocks } from './deletion-guard.ts'
import { allowanceOf, readTwice } from './absences.ts'
import { endOf, eventsRead, responsesRead } from './lists.ts'
import type { ListRead } from './lists.ts'
import { isSame, LIST, liveCounts, unitOf, unknownList } from './mirror.ts'
import { apply, isOther, leave } from './read-list.ts'
import type { Facts, Mirror, Unit } from './mirror.ts'
import type { Load } from '../judge/stored-batches.ts'
import type { EventRow } from '../account/items.ts'
import { inOrderAgain, requestsOf, unsureOf } from './second-readings.ts'
import { removeVanished } from './absent-events.ts'

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
  /** Events whose responses must be read a second time, and whether the event list must be. */
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
  /** Each list as the brake lets it go, and as it holds it; and the rows that it may let go in all. */
  readonly letGo: Mirror
  readonly heldBack: Mirror
  readonly allowed: number
}

/** Minutes after which a hold may be confirmed. */
export const HOLD_FOR = 60

/** The run that is predicted. */
export interface Which extends Clocks {
  /** Its number. */
  readonly run: number
}

export function predict(before: Mirror, asked: Asked, heard: readonly Heard[], which: Which): Prediction {
  const { now } = which
  const first = endOf(heard, 'events')
  if (first?.end !== 'answered') throw new Error('without an event list there is nothing to predict')
  const list = eventsRead(first)
  const start = liveCounts(before)
  const allowed = Math.max(10, start.total / 10)
  const around = { ...which, holdFor: HOLD_FOR, accept: asked.accept, allowed }
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
  const listsSeen = new Map<string, ListSeen>()
  const emptied: [EventRow, Heard][] = []
  const letGo = new Map<string, Unit>()
  const heldBack = new Map<string, Unit>()

  /** What the list was when it is read: as before the run, or as a first reading left it. */
  const readList = (record: EventRow, end: Heard, unit: Unit, isOneOfMost: boolean): void => {
    const readWith = (sum: Partial<Circumstances>) => {
      const circumstances = { ...around, ...spent, isOneOfMost, ...sum }
      const { unit: next, unconfirmed, brakes } = apply(unit, record, responsesRead(end), circumstances)
      const isChanged = changed.has(record.id) || isOther(unit, next)
      const step = nextStep(record, unitOf(before, record.id).facts?.step ?? null, isChanged)
      const facts = withBackfill({ ...(next.facts ?? unknownList), step }, unit, asked.backfill)
      return { next: { ...next, facts }, isChanged, unconfirmed, brakes }
    }
    letGo.set(record.id, readWith({ braked: false, allowed: Infinity }).next)
    heldBack.set(record.id, readWith({ braked: true }).next)
    const { next, isChanged, unconfirmed, brakes } = readWith({})
    if (isChanged) changed.add(record.id)
    spent = { removed: spent.removed + unconfirmed, braked: spent.braked || brakes }
    after.set(record.id, next)
  }
  const put = (record: EventRow, end: Heard, unit: Unit): void => {
    const isUnchanged = end.end === 'same' || (!end.subject.startsWith('again') && isKnown(asked, unit, end))
    const seen = { unit, isUnchanged, isEmpty: !isUnchanged && responsesRead(end).length === 0 }
    listsSeen.set(record.id, seen)
    if (isEmptied(seen)) emptied.push([record, end])
    else if (end.end === 'answered') readList(record, end, unit, false)
  }
  /** Which list came first does not matter: those that became empty are looked at when all were read. */
  const lookAtEmptied = (): void => {
    const areMost = areMostEmptied(before, [...listsSeen.values()], allowed)
    for (const [record, end] of emptied.splice(0)) readList(record, end, unitOf(after, record.id), areMost)
  }

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
      const { rows, length, body } = responsesRead(end)
      const isLast = isEmptied({ unit, isEmpty: length === 0, isUnchanged: false })
      // As short as two empty pages.
      const isTiny = body.length <= (end.pages === 1 ? 2 : 0)
      loads.push({ id: record.id, rows: 1 + rows.size, hasList: true, isTiny, isLast })
    }
    if (end.end === 'missing') missing.add(record.id)
    else if (end.end !== 'same' && end.end !== 'answered') failed.add(record.id)
    else {
      if (end.end === 'same') after.set(record.id, leave(unit, record, which))
      put(record, end, unit)
    }
  }
  lookAtEmptied()

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
    put(record, end, unitOf(after, id))
  }
  lookAtEmptied()

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
  const counts = { listed: readable.length, changed: changed.size, allowed }
  const byOrder = { letGo: new Map([...after, ...letGo]), heldBack: new Map([...after, ...heldBack]) }
  return { after, readOnce, again, listsAgain, ...counts, due: ids, failed, loads, left, braked, ...byOrder }
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

/**
 * The list was sent as it was when it was applied last, page by page: nothing is looked into. Signs of more pages are to
 * be told by every run: a list with them is never taken for known.
 */
function isKnown({ mode }: Asked, { facts }: Unit, end: Heard): boolean {
  if (mode === 'backfill' || facts === null || facts.sent === null || end.end !== 'answered') return false
  const { sent, sign } = responsesRead(end)
  return sign !== 'paging' && facts.sent === sent
}

/** In the order in which they were answered. */
function inOrder(due: readonly EventRow[], heard: readonly Heard[]): readonly EventRow[] {
  const place = ({ id }: EventRow) => heard.findLastIndex(({ subject }) => subject === `/${id}`)
  return due.toSorted((a, b) => place(a) - place(b))
}

function idsOf({ rows, rejectedIds }: ListRead<EventRow>): ReadonlySet<string> {
  return new Set([...rows.keys(), ...rejectedIds])
}
