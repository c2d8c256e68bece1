/** The slots that somebody takes, and the upcoming ones that need people. */
import type { PastSlot } from './documents.ts'
import { days, earliest, latest, micros, microsOrNull } from './instants.ts'
import { sumOf } from './people.ts'
import type { EventRow, TargetRow, ViewRow } from './rows.ts'
import { ofEvent, type LiveResponse, type World } from './world.ts'

const WANTED_WITHOUT_TARGET = 2

/** Equal for two slots of one event that are the same. */
export function slotKey(slot: PastSlot): string {
  const instant = (text: string | null) => String(microsOrNull(text))
  return JSON.stringify([slot.name, instant(slot.start_date), instant(slot.end_date)])
}

interface Holder {
  readonly response: LiveResponse
  readonly slot: PastSlot
}

export function slotSummary(world: World): ViewRow[] {
  return [...world.events.values()].flatMap((event) =>
    [...takenSlots(world, event).values()].map((holders) => takenSlot(world, event, holders)),
  )
}

function takenSlots(world: World, event: EventRow): Map<string, Holder[]> {
  const holders = world.responses
    .filter(({ row }) => row.event_id === event.id)
    .flatMap((response) => response.slots.map((slot) => ({ response, slot })))
  return Map.groupBy(holders, ({ slot }) => slotKey(slot))
}

function takenSlot(world: World, event: EventRow, holders: readonly Holder[]): ViewRow {
  const slots = holders.map(({ slot }) => slot)
  const responses = [...new Set(holders.map(({ response }) => response))]
  const start = slots[0]?.start_date ?? null
  return {
    ...namesOfSlot(world, event, slots),
    sign_ups: String(responses.length),
    respondents: String(new Set(responses.map(({ person }) => person)).size),
    people: String(sumOf(responses.map(({ people }) => people))),
    wanted: wantedFor(world, event, slots),
    is_upcoming: start === null ? null : micros(start) > world.now,
    last_sign_up_at: latest(responses.map(({ row }) => row.created_at)),
  }
}

/** The slots are one and the same, but for their wall clocks. */
function namesOfSlot(world: World, event: EventRow, slots: readonly PastSlot[]): ViewRow {
  return {
    ...ofEvent(world, event),
    slot_name: slots[0]?.name ?? null,
    start_date: slots[0]?.start_date ?? null,
    end_date: slots[0]?.end_date ?? null,
    start_local: earliest(slots.map((slot) => slot.start_local)),
    end_local: earliest(slots.map((slot) => slot.end_local)),
  }
}

/** The most specific target: of event and slot, of the slot, of the event, of neither. */
function wantedFor(world: World, event: EventRow, slots: readonly PastSlot[]): number {
  const name = slots[0]?.name ?? null
  const isForEvent = (target: TargetRow) => target.event_id === event.id
  const isForSlot = (target: TargetRow) => target.slot_name !== null && target.slot_name === name
  const ranks: ((target: TargetRow) => boolean)[] = [
    (target) => isForEvent(target) && isForSlot(target),
    (target) => target.event_id === null && isForSlot(target),
    (target) => isForEvent(target) && target.slot_name === null,
    (target) => target.event_id === null && target.slot_name === null,
  ]
  for (const matches of ranks) {
    const target = world.targets.find(matches)
    if (target !== undefined) return target.wanted
  }
  return WANTED_WITHOUT_TARGET
}

export function thinSlots(world: World): ViewRow[] {
  return [...world.events.values()].flatMap((event) => [
    ...thinTakenSlots(world, event),
    ...emptiedSlots(world, event),
  ])
}

function isSoon(world: World, slot: PastSlot | undefined): boolean {
  const start = microsOrNull(slot?.start_date ?? null)
  return start !== null && start > world.now && start <= world.now + days(56n)
}

function thinTakenSlots(world: World, event: EventRow): ViewRow[] {
  const rows: ViewRow[] = []
  for (const holders of takenSlots(world, event).values()) {
    const { is_upcoming: _, ...row } = takenSlot(world, event, holders)
    const missing = BigInt(Number(row['wanted'])) - BigInt(String(row['people']))
    if (missing > 0n && isSoon(world, holders[0]?.slot)) {
      rows.push({ ...row, missing: String(missing), emptied_at: null })
    }
  }
  return rows
}

function emptiedSlots(world: World, event: EventRow): ViewRow[] {
  const taken = takenSlots(world, event)
  const lost = world.gone
    .filter(({ eventId }) => eventId === event.id)
    .flatMap(({ last, deletedAt }) => last.slots.map((slot) => ({ slot, deletedAt })))
  const rows: ViewRow[] = []
  for (const [key, ofSlot] of Map.groupBy(lost, ({ slot }) => slotKey(slot))) {
    const slots = ofSlot.map(({ slot }) => slot)
    if (taken.has(key) || !isSoon(world, slots[0])) continue
    const wanted = wantedFor(world, event, slots)
    rows.push({
      ...namesOfSlot(world, event, slots),
      sign_ups: '0',
      respondents: '0',
      people: '0',
      wanted,
      last_sign_up_at: null,
      missing: String(wanted),
      emptied_at: latest(ofSlot.map(({ deletedAt }) => deletedAt)),
    })
  }
  return rows
}
