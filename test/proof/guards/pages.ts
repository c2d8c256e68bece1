import type { Guard } from './guard.ts'

const rule = 'src/sync/deletions/unconfirmed-absences.ts'
const unit = ['test/unit/sync/unconfirmed-absences.test.ts']
const whole = ['test/integration/sync/pages.test.ts']

/** Lists in several pages: nothing is deleted because of one reading. */
export const pageGuards: readonly Guard[] = [
  {
    name: 'one reading of pages',
    promise: 'what one reading of a list in several pages lacks is not deleted',
    file: rule,
    text: "if (pages === 1 || digestMatch !== 'other')",
    instead: 'if (pages > 0)',
    tests: whole,
    only: 'slides onto a page',
  },
  {
    name: 'two readings of pages',
    promise: 'a second reading of a list in several pages confirms only what the first one lacked too',
    file: rule,
    text: 'confirmed: absent.filter((id) => before.has(id))',
    instead: 'confirmed: before.size > 0 ? absent : []',
    tests: unit,
  },
  {
    name: 'two readings of the events',
    promise: 'an event that a second reading of the list of events has stays, with all its responses',
    file: 'src/sync/deletions/absent-events.ts',
    text: 'absent: absent.filter(({ id }) => !present.has(id))',
    instead: 'absent',
    tests: whole,
    only: 'an event slides',
  },
  {
    name: 'digest without all rows',
    promise: 'no digest vouches for a list while rows are live that it lacked once',
    file: 'src/sync/write/save-list-states.ts',
    text: 'held.length > 0 || unconfirmed_absences.length > 0',
    instead: 'held.length > 0',
    tests: whole,
    only: 'more than ten are read again',
  },
  {
    name: 'unconfirmed is due',
    promise: 'a list with unconfirmed absences is read by the next run, however old its event is',
    file: 'src/sync/select/polling-schedule.ts',
    text: "if (known.unconfirmed_absences.length > 0) return 'unconfirmed'",
    instead: '',
    tests: ['test/unit/sync/polling-schedule.test.ts'],
  },
  {
    name: 'unconfirmed in a backfill',
    promise: 'a backfill that goes on reads a list with unconfirmed absences again',
    file: 'src/sync/select/backfill.ts',
    text: ' || state.unconfirmed_absences.length > 0',
    instead: '',
    tests: whole,
    only: 'a backfill that was broken off',
  },
  {
    name: 'absences of another account',
    promise: 'what a list of another account or address lacked confirms nothing',
    file: 'src/sync/open/account-identity.ts',
    text: '{ ...state, ...unread, unconfirmed_absences: [] }',
    instead: '{ ...state, ...unread }',
    tests: whole,
    only: 'of another account forgets',
  },
]
