/** Views of slots, computed from the tables. */
import { totalPeople, type Counted } from './counted-responses.ts'
import { slotKey } from './expected-event-views.ts'
import { byTime, DAY, lastOf, microseconds, text, type Moment, type ShownAccount } from './mirror-rows.ts'
import type { Row } from './read-views.ts'
import { lastVersions } from './withdrawn.ts'

export function expectedSlotViews(
  moment: Moment,
  account: ShownAccount,
  own: readonly Counted[],
): ReadonlyMap<string, readonly Row[]> {
  const events = moment.table('events').filter(({ account_id }) => account_id === account.id)
  const summary = events.flatMap((event) => slotSummary(moment, account, event, own))
  const emptied = events.flatMap((event) => emptiedSlots(moment, account, event, own))
  const thin = [...summary.map(({ is_upcoming: _, ...slot }) => ({ ...slot, emptied_at: null })), ...emptied]
    .filter((slot: Row) => isSoon(moment, text(slot['start_date'])))
    .map((slot: Row) => ({
      ...slot,
      missing: BigInt(Number(slot['wanted'])) - BigInt(String(slot['people'])),
    }))
    .filter(({ missing }) => missing > 0n)
    .map((slot) => ({ ...slot, missing: String(slot.missing) }))
  return new Map<string, readonly Row[]>([
    ['slot_summary', summary],
    ['thin_slots', thin],
  ])
}

function isSoon({ now }: Moment, start: string | null): boolean {
  if (start === null) return false
  const ahead = microseconds(start) - microseconds(now)
  return ahead > 0n && ahead <= 56n * DAY
}

function wanted(moment: Moment, account: number, event: unknown, name: unknown): number {
  const targets = moment.table('slot_targets').filter(({ account_id }) => account_id === account)
  const find = (event_id: unknown, slot_name: unknown) =>
    targets.find((target) => target['event_id'] === event_id && target['slot_name'] === slot_name)?.['wanted']
  const named = name === null ? [] : [find(event, name), find(null, name)]
  const found = [...named, find(event, null), find(null, null)].find((target) => target !== undefined)
  return Number(found ?? 2)
}

const columns = (moment: Moment, account: ShownAccount, event: Row, slots: readonly Row[]) => {
  const [{ name = null, start_date = null, end_date = null } = {}] = slots
  const first = (column: string) =>
    slots.flatMap((slot) => text(slot[column]) ?? []).toSorted((a, b) => byTime(`${a}Z`, `${b}Z`))[0] ?? null
  return {
    account_id: account.id,
    account: account.name,
    event_id: event['id'],
    event_title: event['title'],
    event_at: event['event_at'],
    slot_name: name,
    start_date,
    end_date,
    start_local: first('start_local'),
    end_local: first('end_local'),
    wanted: wanted(moment, account.id, event['id'], name),
  }
}

function slotSummary(moment: Moment, account: ShownAccount, event: Row, own: readonly Counted[]) {
  const taken = own
    .filter(({ event_id }) => event_id === event['id'])
    .flatMap((response) => response.slots.map((slot) => ({ slot, response })))
  return [...Map.groupBy(taken, ({ slot }) => slotKey(slot)).values()].map((list) => {
    const responses = [...new Set(list.map(({ response }) => response))]
    const shown = columns(
      moment,
      account,
      event,
      list.map(({ slot }) => slot),
    )
    return {
      ...shown,
      sign_ups: String(responses.length),
      respondents: String(new Set(responses.map(({ person }) => person)).size),
      people: totalPeople(responses),
      is_upcoming:
        text(shown.start_date) === null
          ? null
          : microseconds(String(shown.start_date)) > microseconds(moment.now),
      last_sign_up_at: lastOf(responses.map(({ created_at }) => created_at)),
    }
  })
}

function emptiedSlots(moment: Moment, account: ShownAccount, event: Row, own: readonly Counted[]) {
  const taken = new Set(
    own.filter(({ event_id }) => event_id === event['id']).flatMap(({ slots }) => slots.map(slotKey)),
  )
  const held = lastVersions(moment, account.id)
    .filter(({ event_id }) => event_id === event['id'])
    .flatMap(({ slots, withdrawnAt }) => slots.map((slot) => ({ slot: storedSlot(slot), withdrawnAt })))
    .filter(({ slot }) => !taken.has(slotKey(slot)))
  return [...Map.groupBy(held, ({ slot }) => slotKey(slot)).values()].map((list) => ({
    ...columns(
      moment,
      account,
      event,
      list.map(({ slot }) => slot),
    ),
    sign_ups: '0',
    respondents: '0',
    people: '0',
    last_sign_up_at: null,
    emptied_at: lastOf(list.map(({ withdrawnAt }) => withdrawnAt)),
  }))
}

/** A slot of a document as the columns of the table have it. */
function storedSlot(slot: Row): Row {
  const instant = (sent: string | null) =>
    sent === null ? null : new Date(sent).toISOString().replace(/\.000Z$/, 'Z')
  const start = text(slot['start_date'])
  const end = text(slot['end_date'])
  return {
    name: text(slot['name']),
    start_date: instant(start),
    end_date: instant(end),
    start_local: start?.slice(0, -6) ?? null,
    end_local: end?.slice(0, -6) ?? null,
  }
}
