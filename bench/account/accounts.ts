import type { AccountShape } from './account.ts'

/** The accounts that are measured. */
export type AccountName = 'whole' | 'tenth' | 'single' | 'small'

export type Accounts = Readonly<Record<AccountName, AccountShape>>

/** Events of the account on which the start of a command is measured, and responses to each. */
const SMALL = { events: 100, responses: 10 }

/**
 * All of them by the size of the largest: `tenth` is the beginning of `whole`, whose other events are long over;
 * `single` has as many responses as `whole` in one list; in `small` every event is long over.
 */
export function accountsOf(events: number, responses: number): Accounts {
  const tenth = Math.max(1, Math.floor(events / 10))
  return {
    whole: { events, responses, active: tenth },
    tenth: { events: tenth, responses, active: tenth },
    single: { events: 1, responses: events * responses, active: 0 },
    small: {
      events: Math.min(events, SMALL.events),
      responses: Math.min(responses, SMALL.responses),
      active: 0,
    },
  }
}

export function responsesOf({ events, responses }: AccountShape): number {
  return events * responses
}
