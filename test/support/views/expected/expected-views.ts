/**
 * All views once more, computed from the rows of the tables in the most obvious way: what the views in SQL are held against.
 *
 * Written from the rules alone, so that the two agree only where both are right.
 */
import { changes, eventChanges, responseChanges } from './changes.ts'
import { eventSummary } from './event-summary.ts'
import { responsePace } from './pace.ts'
import { paymentsByMonth, paymentSummary } from './payments.ts'
import { eventRespondents, respondents } from './respondents.ts'
import type { MirrorRows, ViewName, ViewRow, ViewSettings } from './rows.ts'
import { rsvpValues, similarEvents } from './similar-events.ts'
import { slotSummary, thinSlots } from './slots.ts'
import { worldOf, type World } from './world.ts'

export type { MirrorRows, ViewName, ViewSettings } from './rows.ts'

export function expectedViews(rows: MirrorRows, settings: ViewSettings): Record<ViewName, ViewRow[]> {
  const shown = rows.accounts.filter(
    ({ name }) => (settings.account ?? '') === '' || name === settings.account,
  )
  const worlds = shown.map((account) => worldOf(account, rows, settings))
  const rowsOf = (view: (world: World) => ViewRow[]) => worlds.flatMap((world) => view(world))
  return {
    event_summary: rowsOf(eventSummary),
    event_respondents: rowsOf(eventRespondents),
    payment_summary: rowsOf(paymentSummary),
    payments_by_month: rowsOf(paymentsByMonth),
    slot_summary: rowsOf(slotSummary),
    thin_slots: rowsOf(thinSlots),
    respondents: rowsOf(respondents),
    response_pace: rowsOf(responsePace),
    similar_events: rowsOf(similarEvents),
    rsvp_values: rowsOf(rsvpValues),
    event_changes: rowsOf(eventChanges),
    response_changes: rowsOf(responseChanges),
    changes: rowsOf(changes),
  }
}
