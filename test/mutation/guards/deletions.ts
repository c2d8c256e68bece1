import type { Guard } from './guard.ts'

const tests = ['test/unit/sync/deletion-guard.test.ts']
const clockTests = ['test/unit/sync/hold-clocks.test.ts']
const emptiedTests = ['test/unit/sync/emptied-lists.test.ts']
const outageTests = ['test/integration/sync/deletions/empty-lists.test.ts']

/** The clauses of the guard of deletions, one by one. */
export const deletionGuards: readonly Guard[] = [
  {
    name: 'empty list',
    promise: 'a list that had two rows or more and comes back empty is held',
    mutation: 'remove',
    tests,
  },
  {
    name: 'many missing',
    promise: 'more than 10 rows and more than 10 % of a list are held',
    mutation: 'remove',
    tests,
  },
  {
    name: 'page length',
    promise: 'a list that lost rows and is now as long as a page is held',
    mutation: 'remove',
    tests,
  },
  {
    name: 'unreadable id',
    promise: 'a list with an item whose id cannot be read deletes nothing: it may be that one',
    mutation: 'remove',
    tests,
  },
  {
    name: 'signs of paging',
    promise: 'a list that shows signs of more pages, or has no end mark, deletes nothing',
    mutation: 'remove',
    tests,
  },
  {
    name: 'states of events that came and went',
    promise: 'an event that failed and is listed no longer leaves no failing list behind',
    mutation: 'always',
    tests: ['test/integration/sync/fetch/failing-events.test.ts'],
    only: 'ended early',
  },
  {
    name: 'signs of an unchanged list',
    promise: 'signs of more pages are told although the list is as it was stored without them',
    mutation: 'always',
    tests: ['test/integration/sync/deletions/deletions.test.ts'],
    only: 'of an unchanged list',
  },
  {
    name: 'list read twice',
    promise: 'what stands in one of two looks at the event list is not deleted because the other lacks it',
    mutation: 'remove',
    tests: ['test/integration/sync/deletions/absent-events.test.ts'],
    only: 'missing from a first list',
  },
  {
    name: 'worse of two looks',
    promise: 'a sign against deletions counts although a second look at the list does not show it',
    mutation: { replace: 'found.last' },
    tests: ['test/integration/sync/deletions/absent-events.test.ts'],
    only: 'missing from both lists',
  },
  {
    name: 'proof by time',
    promise: 'time never confirms what a list without an end, or with more pages, does not show',
    mutation: 'always',
    tests,
  },
  {
    name: 'an id without proof',
    promise: 'time never confirms what is missing beside an item whose id cannot be read: it may be that one',
    mutation: 'always',
    tests,
  },
  {
    name: 'empty account',
    promise: 'an empty event list is never confirmed by time, only by the owner',
    mutation: 'always',
    tests,
  },
  {
    name: 'weight of an event',
    promise: 'an event that goes counts with all its responses',
    mutation: { replace: 'sum + 1' },
    tests,
  },
  {
    name: 'time to hold',
    promise: 'what is held stays for HEADCOUNT_HOLD_FOR at least',
    mutation: 'always',
    tests: clockTests,
  },
  {
    name: 'own clock',
    promise: 'rows newly absent are held on a clock of their own when older ones are applied',
    mutation: { replace: 'remove.push(...stillAbsent)' },
    tests,
  },
  {
    name: 'rows that came back',
    promise: 'a row that came back leaves the hold and is not deleted later',
    mutation: { replace: 'former.ids' },
    tests,
  },
  {
    name: 'clock without proof',
    promise: 'the time for which a list showed signs of more pages does not count',
    mutation: 'never',
    tests,
  },
  {
    name: 'brake',
    promise: 'many small losses in one run are held like a large one',
    mutation: { replace: 'rows > fewRows(liveAtStart)' },
    tests,
  },
  {
    name: 'brake that stays on',
    promise: 'once a run was braked, every further list that lost rows is held',
    mutation: 'never',
    tests,
  },
  {
    name: 'brake over runs',
    promise: 'what the brake held is not let go by the next run, which has a sum of its own',
    mutation: 'never',
    tests,
  },
  {
    name: 'account that looks empty',
    promise: 'lists that came back empty with most others are held, however few rows they had',
    mutation: 'remove',
    tests,
  },
  {
    name: 'account that looks empty, and time',
    promise: 'time never confirms that an account is empty, also of what was held before it looked so',
    mutation: 'remove',
    tests,
  },
  {
    name: 'lists that became empty are decided last',
    promise: 'which list came first does not matter: those that became empty are decided when all are read',
    mutation: { replace: '[]' },
    tests: outageTests,
    only: 'first',
  },
  {
    name: 'most lists empty',
    promise:
      'three lists or more that became empty, and over half of those that had responses, are an outage',
    mutation: 'remove',
    tests: emptiedTests,
  },
  {
    name: 'losses over runs without a sign of life',
    promise: 'what went in runs that found no list with responses is summed up over them',
    mutation: { replace: 'rows > fewRows(liveAtStart)' },
    tests: emptiedTests,
  },
  {
    name: 'losses before this run stores anything',
    promise: 'what went before a run is asked while the mirror still shows when a list was last read whole',
    mutation: 'remove',
    tests: outageTests,
    only: 'last good reading',
  },
  {
    name: 'clock of the run',
    promise: 'the clock of the database alone ends no hold',
    mutation: 'always',
    tests: clockTests,
  },
  {
    name: 'clock of the database',
    promise: 'the clock of the machine alone ends no hold',
    mutation: 'always',
    tests: clockTests,
  },
  {
    name: 'a second run after the hold',
    promise: 'one run that sees that the time to hold has passed applies nothing',
    mutation: 'always',
    tests: clockTests,
  },
  {
    name: 'clock that was set back',
    promise: 'a clock that was set back holds nothing until it is where it was',
    mutation: { replace: 'since' },
    tests: clockTests,
  },
]
