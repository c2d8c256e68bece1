import type { Guard } from '../guard.ts'

const queue = 'test/integration/orchestration/queue/queue.test.ts'

/** What makes workers on several machines share the accounts. */
export const queueGuards: readonly Guard[] = [
  {
    name: 'one job an account',
    promise: 'an account has one job in the queue, however often it is due',
    mutation: { replace: `'standard'` },
    tests: [queue],
    only: 'no second job',
  },
  {
    name: 'one job a due time',
    promise: 'a time that was served is not served again, also by a machine whose clock is behind',
    mutation: { cut: 'at.getTime() > served.getTime()', put: 'at.getTime() > 0' },
    tests: ['test/unit/orchestration/queue/due-groups.test.ts'],
  },
  {
    name: 'one dispatcher',
    promise: 'over all machines one process sends jobs',
    mutation: { cut: 'where instance is null or', put: 'where true or' },
    tests: [queue],
    only: 'is one over all processes',
  },
  {
    name: 'clocks of dispatchers',
    promise: 'a machine whose clock is wrong sends nothing',
    mutation: 'never',
    tests: [queue],
    only: 'clock is wrong',
  },
  {
    name: 'accounts of dispatchers',
    promise: 'a worker whose accounts nobody sends says so',
    mutation: { cut: 'accounts_digest === digest', put: 'digest !== null' },
    tests: [queue],
    only: 'are others than those',
  },
  {
    name: 'runs of a host',
    promise: 'of one service host at most so many accounts are run at once, over all machines',
    mutation: 'remove',
    tests: [queue],
    only: 'of one service host',
  },
  {
    name: 'no look where no host has room',
    promise: 'workers that wait for a slow service do not search the whole queue again and again',
    mutation: 'never',
    tests: [queue],
    only: 'no host has room',
  },
  {
    name: 'places of a host',
    promise: 'a slow service does not take all places of a worker while others have jobs',
    mutation: { replace: '[]' },
    tests: [queue],
    only: 'some places of a process',
  },
  {
    name: 'heartbeat of jobs',
    promise: 'a job whose run takes long is not taken for lost',
    mutation: 'remove',
    tests: [queue],
    only: 'has its heartbeat stored',
  },
  {
    name: 'heartbeat of a second try',
    promise: 'a job that is tried again in the same process is not taken for lost when the first try ends',
    mutation: { replace: 'job.id' },
    tests: [queue],
    only: 'heartbeat of a second try',
  },
  {
    name: 'jobs handed back',
    promise: 'the job of a worker that is stopped, or of an account that another run holds, is there again',
    mutation: 'never',
    tests: [queue],
    only: 'another run holds|hands the job back',
  },
  {
    name: 'another run is no failure',
    promise: 'a job whose account another run holds counts no try',
    mutation: 'never',
    tests: ['test/unit/orchestration/queue/jobs/job-outcome.test.ts'],
  },
  {
    name: 'jobs of others',
    promise: 'a worker with fewer accounts makes no dead letters of those of other workers',
    mutation: 'never',
    tests: ['test/unit/orchestration/queue/jobs/job-outcome.test.ts'],
  },
  {
    name: 'jobs handed back by others',
    promise:
      'a job that a worker with fewer accounts handed back is taken at once by one that has the account',
    mutation: 'never',
    tests: [queue],
    only: 'goes on with others',
  },
  {
    name: 'dead at once',
    promise: 'a refused key is not tried again by itself until the account is due again',
    mutation: 'never',
    tests: ['test/unit/orchestration/queue/jobs/job-outcome.test.ts'],
  },
  {
    name: 'one dead letter an account',
    promise: 'dead letters are as many as accounts that fail, however long they do',
    mutation: 'remove',
    tests: [queue],
    only: 'dead letters at once',
  },
  {
    name: 'retry of dead letters',
    promise: 'queue retry tries what it takes off the dead letters',
    mutation: 'remove',
    tests: [queue],
    only: 'dead letters at once',
  },
  {
    name: 'health of a queue',
    promise: 'a worker that can take no jobs says so at /healthz',
    mutation: 'always',
    tests: ['test/unit/orchestration/queue/queue-health.test.ts'],
  },
  {
    name: 'faulty entries of a queue',
    promise: 'a worker with an account that it cannot use says so at /healthz',
    mutation: { replace: '[]' },
    tests: ['test/unit/orchestration/queue/queue-health.test.ts'],
  },
  {
    name: "lock of the queue's schema",
    promise: 'workers that start at the same time make one schema',
    mutation: 'remove',
    tests: [queue],
    only: 'four processes',
  },
  {
    name: 'no queue on PGlite',
    promise: 'a queue on PGlite is refused with a way out',
    mutation: 'never',
    tests: [queue],
    only: 'PGlite has no queue',
  },
]
