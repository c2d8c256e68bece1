/** What one account's mirror holds, with each response's parts beside it. */
import { micros, microsOrNull } from './instants.ts'
import { emailKey, peopleOf, personId, type Meaning } from './people.ts'
import { pastResponse, type PastResponse } from './documents.ts'
import type * as rows from './rows.ts'

export interface LiveResponse {
  readonly row: rows.ResponseRow
  readonly key: string | null
  /** Equal for the responses of one person; of a response without a key it is its own. */
  readonly person: string
  readonly meaning: Meaning
  readonly isReply: boolean
  readonly payment: rows.PaymentRow | undefined
  readonly slots: readonly rows.SlotRow[]
  readonly people: bigint
}

/** A response that is not live now, whose last version ended with its deletion. */
export interface GoneResponse {
  readonly eventId: string
  readonly last: PastResponse
  readonly people: bigint
  readonly earliestFrom: string
  readonly deletedAt: string
}

export interface World {
  readonly account: rows.AccountRow
  readonly zone: string
  readonly now: bigint
  readonly nowText: string
  readonly events: ReadonlyMap<string, rows.EventRow>
  readonly responses: readonly LiveResponse[]
  readonly gone: readonly GoneResponse[]
  readonly eventVersions: readonly rows.EventVersionRow[]
  readonly responseVersions: readonly rows.ResponseVersionRow[]
  readonly runs: readonly rows.RunRow[]
  readonly states: ReadonlyMap<string, rows.StateRow>
  readonly openRejects: readonly rows.RejectRow[]
  readonly targets: readonly rows.TargetRow[]
  readonly meaningOf: (rsvp: string | null) => Meaning
  readonly personIdOf: (key: string | null) => string | null
}

/** The columns with which the rows of an account begin. */
export function ofAccount({ account }: World) {
  return { account_id: account.id, account: account.name }
}

/** The same of an event. */
export function ofEvent(world: World, { id, title, event_at }: rows.EventRow) {
  return { ...ofAccount(world), event_id: id, event_title: title, event_at }
}

export function responseKey(eventId: string, id: string): string {
  return JSON.stringify([eventId, id])
}

export function worldOf(account: rows.AccountRow, all: rows.MirrorRows, settings: rows.ViewSettings): World {
  const own = <Row extends { account_id: number }>(table: readonly Row[]) =>
    table.filter((row) => row.account_id === account.id)
  const meaningOf = (rsvp: string | null) => meaningIn(all.rsvp_meanings, rsvp)
  const responses = liveResponses(own(all.responses), own(all.payments), own(all.slots), meaningOf)
  const responseVersions = own(all.response_history)
  const accepted = own(all.accepted_rejects)
  return {
    account,
    zone: (settings.timeZone ?? '') === '' ? account.time_zone : String(settings.timeZone),
    now: micros(settings.now),
    nowText: settings.now,
    events: new Map(own(all.events).map((event) => [event.id, event])),
    responses,
    gone: goneResponses(responses, responseVersions, meaningOf),
    eventVersions: own(all.event_history),
    responseVersions,
    runs: own(all.sync_runs),
    states: new Map(own(all.sync_state).map((state) => [state.event_id, state])),
    openRejects: own(all.rejects).filter(
      (reject) => !accepted.some((one) => one.event_id === reject.event_id && one.sha256 === reject.sha256),
    ),
    targets: own(all.slot_targets),
    meaningOf,
    personIdOf: (key) => personId(settings.secret, account.id, key),
  }
}

function meaningIn(meanings: readonly rows.MeaningRow[], rsvp: string | null): Meaning {
  const meaning = meanings.find(({ value }) => value === rsvp)?.meaning
  return meaning === 'coming' || meaning === 'maybe' || meaning === 'not_coming' ? meaning : 'unknown'
}

function liveResponses(
  responses: readonly rows.ResponseRow[],
  payments: readonly rows.PaymentRow[],
  slots: readonly rows.SlotRow[],
  meaningOf: World['meaningOf'],
): LiveResponse[] {
  const paymentOf = new Map(payments.map((row) => [responseKey(row.event_id, row.response_id), row]))
  const slotsOf = Map.groupBy(slots, (row) => responseKey(row.event_id, row.response_id))
  return responses.map((row) => {
    const at = responseKey(row.event_id, row.id)
    const key = emailKey(row.email)
    const meaning = meaningOf(row.rsvp)
    const held = slotsOf.get(at) ?? []
    const quantity = row.quantity === null ? null : BigInt(row.quantity)
    return {
      row,
      key,
      person: key === null ? `response ${at}` : `key ${key}`,
      meaning,
      isReply: row.rsvp !== null || row.kind === 'reply' || row.kind === 'bare',
      payment: paymentOf.get(at),
      slots: held,
      people: peopleOf({ kind: row.kind, rsvp: row.rsvp, quantity, slotCount: held.length }, meaning),
    }
  })
}

function goneResponses(
  responses: readonly LiveResponse[],
  versions: readonly rows.ResponseVersionRow[],
  meaningOf: World['meaningOf'],
): GoneResponse[] {
  const live = new Set(responses.map(({ row }) => responseKey(row.event_id, row.id)))
  const gone: GoneResponse[] = []
  for (const [key, ofResponse] of Map.groupBy(versions, (row) =>
    responseKey(row.event_id, row.response_id),
  )) {
    const inOrder = ofResponse.toSorted(byEnd)
    const last = inOrder.at(-1)
    const deletion = inOrder.findLast(({ operation }) => operation === 'delete')
    if (live.has(key) || last === undefined || deletion === undefined) continue
    const past = pastResponse(last.document)
    const [first] = ofResponse.map((row) => row.valid_from).toSorted(byTime)
    gone.push({
      eventId: last.event_id,
      last: past,
      people: peopleOf({ ...past, slotCount: past.slots.length }, meaningOf(past.rsvp)),
      earliestFrom: first ?? last.valid_from,
      deletedAt: deletion.valid_to,
    })
  }
  return gone
}

function byTime(one: string, other: string): number {
  return order(micros(one), micros(other))
}

/** By the end of the versions, then by the run that ended them. */
export function byEnd(one: rows.EventVersionRow, other: rows.EventVersionRow): number {
  return (
    byTime(one.valid_to, other.valid_to) ||
    order(BigInt(one.ended_by_run_id ?? 0), BigInt(other.ended_by_run_id ?? 0))
  )
}

export function order(one: bigint, other: bigint): number {
  return one < other ? -1 : Number(one > other)
}

/** Oldest first: by `created_at`, NULL first, then by id. */
export function byCreation(one: LiveResponse, other: LiveResponse): number {
  const [a, b] = [microsOrNull(one.row.created_at), microsOrNull(other.row.created_at)]
  if (a === null && b !== null) return -1
  if (a !== null && b === null) return 1
  return (
    order(a ?? 0n, b ?? 0n) ||
    order(BigInt(one.row.id), BigInt(other.row.id)) ||
    Buffer.compare(Buffer.from(one.row.event_id), Buffer.from(other.row.event_id))
  )
}
