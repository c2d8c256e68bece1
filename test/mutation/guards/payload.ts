import type { Guard } from './guard.ts'

/** What becomes of the items of a list. */
export const payloadGuards: readonly Guard[] = [
  {
    name: 'fields that the service did not send',
    promise: 'what a program adds to all its objects is not stored as a field of the service',
    mutation: 'remove',
    tests: ['test/unit/normalise/inherited-fields.test.ts'],
  },
  {
    name: 'idle transactions',
    promise: 'a list too large for memory is not read through inside its transaction when that gives no rows',
    mutation: {
      replace: `(async function* () {
  yield* (await large.readThrough()).batches()
})()`,
    },
    tests: ['test/integration/sync/fetch/large-transactions.test.ts'],
    only: 'out of order',
  },
  {
    name: 'transactions awake',
    promise: 'a transaction stays open however long it takes to read the next rows of a large list',
    mutation: 'remove',
    tests: ['test/integration/sync/fetch/large-transactions.test.ts'],
    only: 'stays awake',
  },
  {
    name: 'fault of one list',
    promise: 'a large list that the database refuses fails alone; the others are mirrored',
    mutation: 'remove',
    tests: ['test/integration/sync/fetch/large-transactions.test.ts'],
    only: 'postgres.*fails alone',
  },
  {
    name: 'real dates',
    promise: '30 February is set aside, not moved to March',
    mutation: 'never',
    tests: ['test/unit/normalise/timestamps.test.ts'],
  },
  {
    name: 'form of times',
    promise: '"now", "infinity" and times without a zone are set aside',
    mutation: 'always',
    tests: ['test/unit/normalise/timestamps.test.ts'],
  },
  {
    name: 'form of amounts',
    promise: 'an amount is a plain decimal number, or set aside: never NaN',
    mutation: 'always',
    tests: ['test/unit/normalise/numbers.test.ts'],
  },
  {
    name: 'depth',
    promise: 'an item nested too deep is rejected: PGlite would lose it without an error',
    mutation: 'never',
    tests: ['test/unit/normalise/lists.test.ts'],
  },
  {
    name: 'size',
    promise: 'an item above 1 MiB is rejected, with its beginning, its size and its hash',
    mutation: 'never',
    tests: ['test/unit/normalise/lists.test.ts'],
  },
  {
    name: 'characters',
    promise: 'U+0000 and half surrogates become U+FFFD, and are counted',
    mutation: { replace: 'text' },
    tests: ['test/unit/normalise/texts.test.ts'],
  },
  {
    name: 'large integers',
    promise: 'integers beyond 2^53 are exact',
    mutation: 'never',
    tests: ['test/unit/normalise/ids.test.ts'],
  },
  {
    name: 'range of ids',
    promise: 'an id beyond 2^63 is rejected, not wrapped around',
    mutation: 'always',
    tests: ['test/unit/normalise/ids.test.ts'],
  },
  {
    name: 'ids of events',
    promise: 'an id that no path can hold is rejected',
    mutation: 'never',
    tests: ['test/unit/normalise/ids.test.ts'],
  },
  {
    name: 'duplicates',
    promise: 'the same id twice in a list is one row, the latest',
    mutation: 'never',
    tests: ['test/unit/normalise/duplicates.test.ts'],
  },
  {
    name: 'duplicates in a large list',
    promise: 'of the same id in two pieces of a large list one is taken, the latest, as in a small one',
    mutation: 'remove',
    tests: ['test/unit/normalise/large-lists.test.ts'],
  },
  {
    name: 'one reading of a large list',
    promise:
      'the rows of a large list are written at its first reading only as long as no id can stand twice',
    mutation: 'always',
    tests: ['test/unit/normalise/duplicates.test.ts', 'test/unit/normalise/large-lists.test.ts'],
  },
  {
    name: 'first reading taken back',
    promise: 'of a large list that must be read again nothing stays of the first reading',
    mutation: { body: 'return' },
    tests: ['test/integration/sync/fetch/large-lists.test.ts'],
    only: 'postgres.*become the same',
  },
  {
    name: 'keys like __proto__',
    promise: '__proto__ and constructor are fields like any other',
    mutation: { replace: '{}' },
    tests: ['test/unit/normalise/texts.test.ts'],
  },
  {
    name: 'key in rejects',
    promise: 'the key is not stored, not even in what could not be read',
    mutation: 'unwrap',
    tests: ['test/integration/sync/secrets.test.ts', 'test/integration/sync/finish-run.test.ts'],
    only: 'X2',
  },
  {
    name: 'quotes of personal data',
    promise:
      'no message quotes what the service answers in place of a list where personal data are left out, forgotten or erased',
    mutation: 'never',
    tests: ['test/integration/sync/personal-data/left-out.test.ts'],
    only: 'postgres.*stand in no message',
  },
  {
    name: 'rejects of erased persons',
    promise:
      'an item that cannot be stored is not kept where what is cut off of it may name an erased person',
    mutation: { cut: 'bytes > MAX_PAYLOAD_BYTES ||', put: '' },
    tests: ['test/integration/sync/personal-data/erasure.test.ts'],
    only: 'postgres.*however long',
  },
  {
    name: 'left out of what is no slot',
    promise: 'a field of slots that is left out is not stored with slots of another form either',
    mutation: { cut: `delete kept['slots']`, put: 'void 0' },
    tests: ['test/integration/sync/personal-data/left-out.test.ts'],
    only: 'postgres.*slots that are none',
  },
  {
    name: 'unread rows under new settings',
    promise: 'what is left out is not kept of an event that cannot be read either',
    mutation: { replace: 'new Set<string>()' },
    tests: ['test/integration/sync/personal-data/left-out.test.ts'],
    only: 'postgres.*an event that is held',
  },
  {
    name: 'held rows under new settings',
    promise: 'what is left out is not kept in responses that are held, or whose items cannot be stored',
    mutation: 'never',
    tests: ['test/integration/sync/personal-data/left-out.test.ts'],
    only: 'postgres.*held responses',
  },
  {
    name: 'restated is no change',
    promise: 'a field that is stored in another form since fields are left out is told as no change',
    mutation: 'remove',
    tests: ['test/integration/sync/personal-data/left-out.test.ts'],
    only: 'postgres.*is no change of a response',
  },
  {
    name: 'history without rules',
    promise: 'a run that is to take from history what is left out, without saying what, brings nothing back',
    mutation: 'never',
    tests: ['test/integration/sync/personal-data/left-out.test.ts'],
    only: 'without the settings',
  },
]
