import type { Guard } from './guard.ts'

/** What runs of many accounts owe each other. */
export const runPoolGuards: readonly Guard[] = [
  {
    name: 'last permit for others',
    promise: 'an account whose requests all hang leaves a request to the other accounts at its host',
    mutation: { replace: 'true' },
    tests: ['test/unit/common/semaphore.test.ts'],
    only: 'came later',
  },
  {
    name: 'fewest permits first',
    promise: 'a large account does not get the next request as long as a small one waits',
    mutation: { body: '{ if (next === null) next = member }' },
    tests: ['test/unit/common/semaphore.test.ts'],
    only: 'holds fewest',
  },
  {
    name: 'pause of another run',
    promise: 'a run does not wait for a pause that is longer than it may wait, whoever was asked for it',
    mutation: 'never',
    tests: ['test/unit/source/pause-gate.test.ts'],
  },
  {
    name: 'slow account',
    promise: 'an account whose lists never come does not slow the others at its host down',
    mutation: { replace: 'false' },
    tests: ['test/integration/source/shared-host.test.ts'],
    only: 'never come',
  },
  {
    name: 'share of a pool',
    promise: 'no run has more connections than its share: a heartbeat never waits for another run',
    mutation: { replace: '() => {}' },
    tests: ['test/integration/db/pool-share.test.ts'],
    only: 'never has more',
  },
  {
    name: 'turns of hosts',
    promise: 'a host with many accounts does not keep those of other hosts waiting',
    mutation: 'always',
    tests: ['test/unit/run-pool/turns.test.ts'],
    only: 'rotate between hosts',
  },
  {
    name: 'last turn for other hosts',
    promise: 'runs that hang at one host leave a turn to the others',
    mutation: 'never',
    tests: ['test/unit/run-pool/turns.test.ts'],
    only: 'last turn',
  },
  {
    name: 'one turn of a host that is down',
    promise: 'a host that does not answer has one run at a time',
    mutation: { replace: 'true' },
    tests: ['test/unit/run-pool/turns.test.ts'],
    only: 'not open',
  },
  {
    name: 'one run of an account',
    promise: 'two calls for one account run one after the other',
    mutation: 'always',
    tests: ['test/unit/run-pool/turns.test.ts'],
    only: 'one run at a time',
  },
  {
    name: 'accounts take turns',
    promise: 'an account that is asked for again and again does not keep the others of its host waiting',
    mutation: 'remove',
    tests: ['test/unit/run-pool/turns.test.ts'],
    only: 'rotate between hosts',
  },
  {
    name: 'other accounts before it is the host',
    promise: 'one account that gets no answer does not end the runs of the others',
    mutation: { replace: 'true' },
    tests: ['test/integration/run-pool/run-pool.test.ts'],
    only: 'is down has one turn',
  },
  {
    name: 'runs that connections carry',
    promise: 'no more runs go on at once than the connections carry',
    mutation: { replace: 'wanted' },
    tests: ['test/unit/run-pool/capacity.test.ts'],
  },
]
