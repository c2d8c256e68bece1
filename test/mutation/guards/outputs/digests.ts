import type { Guard } from '../guard.ts'

const deliveries = 'test/integration/outputs/notify/send-digest.test.ts'
const digest = 'test/integration/outputs/digest/digest.test.ts'

/** What keeps a digest to what is news. */
export const digestGuards: readonly Guard[] = [
  {
    name: 'responses of events that went',
    promise: 'a digest tells of an event that is no longer listed once, and not of each of its responses',
    mutation: { cut: 'not (entity', put: 'true or not (entity' },
    tests: [digest],
    only: 'takes its responses along',
  },
  {
    name: 'first readings in a digest',
    promise: 'what was there before the mirror is no news in a digest',
    mutation: { cut: ' and not v.initial', put: '' },
    tests: [digest],
    only: 'postgres.*is no news',
  },
  {
    name: 'pruned before it was told',
    promise: 'changes that were pruned before a recipient was told are not passed over in silence',
    mutation: { cut: 'pruned_until !== null', put: 'false' },
    tests: [deliveries],
    only: 'postgres.*passed over in silence',
  },
]
