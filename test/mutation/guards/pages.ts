import type { Guard } from './guard.ts'

const unit = ['test/unit/sync/unconfirmed-absences.test.ts']
const whole = ['test/integration/sync/fetch/pages.test.ts']

/** Lists in several pages: nothing is deleted because of one reading. */
export const pageGuards: readonly Guard[] = [
  {
    name: 'one reading of pages',
    promise: 'what one reading of a list in several pages lacks is not deleted',
    mutation: 'always',
    tests: whole,
    only: 'slides onto a page',
  },
  {
    name: 'two readings of pages',
    promise: 'a second reading of a list in several pages confirms only what the first one lacked too',
    mutation: { replace: 'before.size > 0 ? absent : []' },
    tests: unit,
  },
  {
    name: 'two readings of the events',
    promise: 'an event that a second reading of the event list has stays, with all its responses',
    mutation: { replace: 'absent' },
    tests: whole,
    only: 'an event slides',
  },
  {
    name: 'digest without all rows',
    promise: 'no digest vouches for a list while rows are live that it lacked once',
    mutation: 'never',
    tests: whole,
    only: 'more than ten are read again',
  },
  {
    name: 'unconfirmed is due',
    promise: 'a list with unconfirmed absences is read by the next run, however old its event is',
    mutation: 'remove',
    tests: ['test/unit/sync/polling-schedule.test.ts'],
  },
  {
    name: 'unconfirmed in a backfill',
    promise: 'a backfill that goes on reads a list with unconfirmed absences again',
    mutation: 'never',
    tests: whole,
    only: 'a backfill that was broken off',
  },
  {
    name: 'absences of another account',
    promise: 'what a list of another account or address lacked confirms nothing',
    mutation: 'remove',
    tests: whole,
    only: 'of another account forgets',
  },
]
