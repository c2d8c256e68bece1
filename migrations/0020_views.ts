/** Views that say what organisers ask. */
import { changeViews } from './0020_changes.ts'
import { eventViews } from './0020_events.ts'
import { paymentViews } from './0020_payments.ts'
import { peopleViews } from './0020_people.ts'
import { functionsOfViews } from './0020_responses.ts'
import { slotViews } from './0020_slots.ts'

export const views: readonly string[] = [
  ...functionsOfViews,
  ...eventViews,
  ...peopleViews,
  ...paymentViews,
  ...slotViews,
  ...changeViews,
]
