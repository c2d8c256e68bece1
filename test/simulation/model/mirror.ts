/** The model of a mirror: plain maps of what its tables must hold, written from the design and sharing no code with it. */
import { eventText, responseText } from './documents.ts'
import { canonical } from '../account/items.ts'
import type { EventRow, ResponseRow } from '../account/items.ts'

/** When an absent id was first seen absent, in minutes of simulated time. */
export interface Held {
  readonly since: number
  /** The same by the clock of the run. */
  readonly runSince: number
  /** The last run that looked saw that the time to hold has passed. */
  readonly expired: boolean
  /** Whether that sight proves anything: time never confirms what was only seen in lists with signs of paging. */
  readonly proven: boolean
  /** It is held for the sake of a run's sum. */
  readonly braked: boolean
}

/** What is known of a list. */
export interface Facts {
  readonly checkedAt: number | null
  /** The run that found it as it is in the mirror. Only the model knows it. */
  readonly checkedBy: number | null
  /** Seconds until it is due again; null: at the next run. */
  readonly step: number | null
  readonly failing: boolean
  /** It failed because the key was refused for it. */
  readonly refused: boolean
  /** It failed because no answer came, or none but such as may pass. */
  readonly unanswered: boolean
  readonly asides: number
  /** The validator to ask with, and when the body was last read whole. */
  readonly etag: string | null
  readonly readAt: number | null
  /** The body that was applied whole; null while something of it is held. Only the model knows it. */
  readonly body: string | null
  /** What was sent when it was applied whole, page by page: the same again is not looked into. Only the model knows it. */
  readonly sent: string | null
  /** The backfill that read it last: the number of its first run. */
  readonly backfill: number | null
  readonly held: ReadonlyMap<string, Held>
  /** Live ids that the last reading lacked, which was of several pages. */
  readonly unconfirmed: ReadonlySet<string>
}

export const unknownList: Facts = {
  checkedAt: null,
  checkedBy: null,
  step: null,
  failing: false,
  refused: false,
  unanswered: false,
  asides: 0,
  etag: null,
  readAt: null,
  body: null,
  sent: null,
  backfill: null,
  held: new Map(),
  unconfirmed: new Set(),
}

/** An item that could not be stored: its place, and the SHA-256 of its text. */
export interface Reject {
  readonly index: number
  readonly sha256: string
}

/** A version that ended: its document, and how it ended. */
export interface Ended {
  readonly document: string
  readonly operation: 'update' | 'delete'
  /** Of a deletion: by which run. Only the model knows it. */
  readonly run?: number
}

/** All that the mirror holds about one event, live and past; no transaction may split it. */
export interface Unit {
  readonly record: EventRow | null
  readonly responses: ReadonlyMap<string, ResponseRow>
  readonly rejects: readonly Reject[]
  readonly facts: Facts | null
  readonly recordHistory: readonly Ended[]
  /** By id of the response. */
  readonly history: ReadonlyMap<string, readonly Ended[]>
}

/** Units by event id; '' is the event list, which has facts and rejects only. */
export type Mirror = ReadonlyMap<string, Unit>

export const emptyUnit: Unit = {
  record: null,
  responses: new Map(),
  rejects: [],
  facts: null,
  recordHistory: [],
  history: new Map(),
}

export const LIST = ''

export function unitOf(mirror: Mirror, id: string): Unit {
  return mirror.get(id) ?? emptyUnit
}

/** Events and responses in the live tables. */
export function liveCounts(mirror: Mirror): { readonly events: number; readonly total: number } {
  const live = [...mirror.values()].filter(({ record }) => record !== null)
  return {
    events: live.length,
    total: live.reduce((sum, { responses }) => sum + 1 + responses.size, 0),
  }
}

/** The unit with its record and some responses brought to what was read; what changes goes into history. */
export function withRows(unit: Unit, record: EventRow, rows: Iterable<ResponseRow>): Unit {
  const responses = new Map(unit.responses)
  const history = new Map(unit.history)
  for (const row of rows) {
    const former = responses.get(row.id)
    if (former !== undefined && !isSame(former, row)) {
      history.set(row.id, [...(history.get(row.id) ?? []), ended(responseText(former), 'update')])
    }
    responses.set(row.id, row)
  }
  const isRecordChanged = unit.record !== null && !isSame(unit.record, record)
  const recordHistory =
    unit.record !== null && isRecordChanged
      ? [...unit.recordHistory, ended(eventText(unit.record), 'update')]
      : unit.recordHistory
  return { ...unit, record, responses, history, recordHistory }
}

export function withoutResponses(unit: Unit, ids: readonly string[], run: number): Unit {
  const responses = new Map(unit.responses)
  const history = new Map(unit.history)
  for (const id of ids) {
    const former = responses.get(id)
    if (former === undefined) continue
    responses.delete(id)
    history.set(id, [...(history.get(id) ?? []), { ...ended(responseText(former), 'delete'), run }])
  }
  return { ...unit, responses, history }
}

/** The event with all its responses goes into history; nothing else of it stays. */
export function withoutEvent(unit: Unit, run: number): Unit {
  if (unit.record === null) return unit
  const bare = withoutResponses(unit, [...unit.responses.keys()], run)
  const recordHistory = [...bare.recordHistory, { ...ended(eventText(unit.record), 'delete'), run }]
  return { ...bare, record: null, recordHistory, rejects: [], facts: null }
}

export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other)
}

function ended(document: string, operation: Ended['operation']): Ended {
  return { document, operation }
}
