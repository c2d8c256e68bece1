/** What changed when: of events and of responses, field by field and item by item. */
import type { JsonObject } from '../../../../src/common/json/exact.ts'
import { comparable, compareBytes, eventDocument, fieldText, instantOrNull } from './documents.ts'
import { jsonText, responseDocument, textOrNull } from './documents.ts'
import { microsOrNull, micros } from './instants.ts'
import { emailKey } from './people.ts'
import type { EventVersionRow, StateRow, ViewRow } from './rows.ts'
import { byEnd, ofAccount, order, responseKey, type World } from './world.ts'

/** A live row as far as changes need it. */
interface Present {
  readonly document: JsonObject
  readonly changedAt: string
  readonly firstSeenAt: string
  readonly runId: string
}

interface Item {
  readonly eventId: string
  readonly responseId: string | null
  readonly versions: readonly EventVersionRow[]
  readonly present: Present | undefined
}

interface Change {
  readonly item: Item
  readonly at: string
  readonly change: 'insert' | 'update' | 'delete'
  readonly runId: string | null
  readonly before: JsonObject
  readonly after: JsonObject
  /** Whether an earlier version of the item ended with a deletion. */
  readonly wasDeletedBefore: boolean
}

function eventItems(world: World): Item[] {
  const versions = Map.groupBy(world.eventVersions, (row) => row.event_id)
  const ids = new Set([...versions.keys(), ...world.events.keys()])
  return [...ids].map((eventId) => {
    const row = world.events.get(eventId)
    return {
      eventId,
      responseId: null,
      versions: versions.get(eventId) ?? [],
      present: row && presentOf(row, eventDocument(row)),
    }
  })
}

function responseItems(world: World): Item[] {
  const versions = Map.groupBy(world.responseVersions, (row) => responseKey(row.event_id, row.response_id))
  const live = new Map(world.responses.map((one) => [responseKey(one.row.event_id, one.row.id), one]))
  const items: Item[] = []
  for (const key of new Set([...versions.keys(), ...live.keys()])) {
    const response = live.get(key)
    const ofItem = versions.get(key) ?? []
    const [version] = ofItem
    const eventId = response?.row.event_id ?? version?.event_id
    const responseId = response?.row.id ?? version?.response_id
    if (eventId === undefined || responseId === undefined) continue
    const document = response && responseDocument(response.row, response.payment, response.slots)
    const present = response && document && presentOf(response.row, document)
    items.push({ eventId, responseId, versions: ofItem, present })
  }
  return items
}

function presentOf(
  row: { _changed_at: string; _first_seen_at: string; _run_id: string },
  document: JsonObject,
): Present {
  return { document, changedAt: row._changed_at, firstSeenAt: row._first_seen_at, runId: row._run_id }
}

const isSameTime = (one: string, other: string) => micros(one) === micros(other)

/** By the beginning of the versions, then by the run that ended them. */
function byBegin(one: EventVersionRow, other: EventVersionRow): number {
  return (
    order(micros(one.valid_from), micros(other.valid_from)) ||
    order(BigInt(one.ended_by_run_id ?? 0), BigInt(other.ended_by_run_id ?? 0))
  )
}

/** All changes of an item, but for those before the horizon of prune. */
function changesOf(world: World, item: Item): Change[] {
  const horizon = microsOrNull(world.account._history_from)
  const all = [...item.versions.flatMap((version) => changesOfVersion(item, version)), ...lastArrival(item)]
  return all.filter(({ at }) => horizon === null || micros(at) > horizon)
}

/** How a version began, if it is no successor of another one, and how it ended. */
function changesOfVersion(item: Item, version: EventVersionRow): Change[] {
  const { document, operation } = version
  const former = item.versions.filter((one) => byBegin(one, version) < 0)
  const found: Change[] = []
  const continues = former.some(
    (one) => one.operation === 'update' && isSameTime(one.valid_to, version.valid_from),
  )
  if (!continues) {
    const wasDeletedBefore = former.some((one) => one.operation === 'delete')
    const [at, runId] = [version.valid_from, version.begun_by_run_id]
    found.push({ item, at, change: 'insert', runId, before: {}, after: document, wasDeletedBefore })
  }
  const end = { item, at: version.valid_to, runId: version.ended_by_run_id, before: document }
  if (operation === 'delete') found.push({ ...end, change: 'delete', after: {}, wasDeletedBefore: false })
  const after = operation === 'update' ? successorOf(item, version) : undefined
  if (after !== undefined) found.push({ ...end, change: 'update', after, wasDeletedBefore: false })
  return found
}

/** The version that begins where this one ends; undefined when none is known. */
function successorOf(item: Item, version: EventVersionRow): JsonObject | undefined {
  const [next] = item.versions
    .filter((one) => isSameTime(one.valid_from, version.valid_to) && byBegin(one, version) > 0)
    .toSorted((one, other) => order(BigInt(one.ended_by_run_id ?? 0), BigInt(other.ended_by_run_id ?? 0)))
  if (next !== undefined) return next.document
  const { present } = item
  return present && isSameTime(present.changedAt, version.valid_to) ? present.document : undefined
}

/** The arrival of a row that has not changed since. */
function lastArrival(item: Item): Change[] {
  const { present, versions } = item
  if (present === undefined || !isSameTime(present.changedAt, present.firstSeenAt)) return []
  const continues = versions.some(
    (one) => one.operation === 'update' && isSameTime(one.valid_to, present.changedAt),
  )
  if (continues) return []
  const wasDeletedBefore = versions.some((one) => one.operation === 'delete')
  const { changedAt: at, runId, document } = present
  return [{ item, at, change: 'insert', runId, before: {}, after: document, wasDeletedBefore }]
}

function changedFields({ before, after }: Change): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => comparable(before[field]) !== comparable(after[field]))
    .toSorted(compareBytes)
}

/** Rule 14. */
function isInitial(world: World, change: Change): boolean {
  if (change.change !== 'insert') return false
  const firstListed = world.account.first_listed_run_id
  if (firstListed === null) return false
  if (change.runId === null) return isBeforeEndOf(world, firstListed, change.at)
  const run = BigInt(change.runId)
  const isOfFirstList = run <= BigInt(firstListed)
  // An event is stored by the run that lists it, whether or not that run reads its responses, too.
  if (change.item.responseId === null) return isOfFirstList
  const state = world.states.get(change.item.eventId)
  const firstApplied = state?.first_applied_run_id ?? null
  if (isOfFirstList) return firstApplied === null || run <= BigInt(firstApplied)
  return firstApplied !== null && run === BigInt(firstApplied) && wasListedBy(state, BigInt(firstListed))
}

/** What was archived without its run is judged by its time. */
function isBeforeEndOf(world: World, runId: string, at: string): boolean {
  const end = world.runs.find(({ id }) => id === runId)?.finished_at ?? null
  return end !== null && micros(at) <= micros(end)
}

function wasListedBy(state: StateRow | undefined, run: bigint): boolean {
  const firstListed = state?.first_listed_run_id ?? null
  return firstListed !== null && BigInt(firstListed) <= run
}

function lastDocument(versions: readonly EventVersionRow[]): JsonObject | undefined {
  return versions.toSorted(byEnd).at(-1)?.document
}

/** What is said of the event now, else what was last known of it. */
function eventNow(world: World, eventId: string) {
  const event = world.events.get(eventId)
  if (event !== undefined) return { event_title: event.title, event_at: event.event_at }
  const last = lastDocument(world.eventVersions.filter((one) => one.event_id === eventId))
  return { event_title: fieldText(last?.['title']), event_at: instantOrNull(last?.['event_at']) }
}

function nameNow(world: World, item: Item): string | null {
  const live = world.responses.find(({ row }) => row.event_id === item.eventId && row.id === item.responseId)
  return live === undefined ? fieldText(lastDocument(item.versions)?.['name']) : live.row.name
}

/** One entry for each changed field; one for an arrival or a removal. */
function fieldsAndValues(change: Change) {
  const { before, after } = change
  if (change.change === 'insert') return [{ field: null, old_value: null, new_value: jsonText(after) }]
  if (change.change === 'delete') return [{ field: null, old_value: jsonText(before), new_value: null }]
  return changedFields(change).map((field) => ({
    field,
    old_value: fieldText(before[field]),
    new_value: fieldText(after[field]),
  }))
}

/** @param more what a row has beside what every one has, by the field that changed */
function changeRows(
  world: World,
  items: readonly Item[],
  more: (change: Change, field: string | null) => ViewRow,
): ViewRow[] {
  return items
    .flatMap((item) => changesOf(world, item))
    .flatMap((change) =>
      fieldsAndValues(change).map((values) => ({
        ...ofAccount(world),
        event_id: change.item.eventId,
        changed_at: change.at,
        run_id: change.runId,
        change: change.change,
        ...values,
        initial: isInitial(world, change),
        ...more(change, values.field),
      })),
    )
}

export function eventChanges(world: World): ViewRow[] {
  return changeRows(world, eventItems(world), (change, field) => ({
    ...eventNow(world, change.item.eventId),
    what: whatHappened(change, field),
  }))
}

function whatHappened(change: Change, field: string | null): string {
  if (change.change === 'insert') return change.wasDeletedBefore ? 'returned' : 'announced'
  if (change.change === 'delete') return 'removed'
  if (field === 'event_at') return 'moved'
  if (field === 'title') return 'renamed'
  return field === 'location' ? 'relocated' : 'edited'
}

export function responseChanges(world: World): ViewRow[] {
  return changeRows(world, responseItems(world), ({ item }) => ({
    response_id: item.responseId,
    event_title: eventNow(world, item.eventId).event_title,
    name: nameNow(world, item),
  }))
}

export function changes(world: World): ViewRow[] {
  return [...eventItems(world), ...responseItems(world)]
    .flatMap((item) => changesOf(world, item))
    .filter((change) => change.change !== 'update' || changedFields(change).length > 0)
    .map((change) => changeOf(world, change))
}

function changeOf(world: World, change: Change): ViewRow {
  const { item, before, after } = change
  const record = change.change === 'delete' ? before : after
  const fields = change.change === 'update' ? changedFields(change) : null
  const former = fields?.map((field): [string, unknown] => [field, before[field] ?? null])
  const isResponse = item.responseId !== null
  return {
    ...ofAccount(world),
    run_id: change.runId,
    run_finished_at: world.runs.find(({ id }) => id === change.runId)?.finished_at ?? null,
    changed_at: change.at,
    entity: isResponse ? 'response' : 'event',
    event_id: item.eventId,
    response_id: item.responseId,
    change: change.change,
    initial: isInitial(world, change),
    ...eventNow(world, item.eventId),
    person_id: isResponse ? world.personIdOf(emailKey(textOrNull(record['email']))) : null,
    fields,
    record,
    former: former === undefined ? null : Object.fromEntries(former),
  }
}
