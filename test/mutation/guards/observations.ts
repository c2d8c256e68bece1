import type { Guard } from './guard.ts'

const runs = ['test/integration/sync/observations.test.ts']

/** What is kept and told of what the specification leaves open. */
export const observationGuards: readonly Guard[] = [
  {
    name: 'personal values',
    promise: 'no e-mail address or telephone number stands in api_observations',
    mutation: 'never',
    tests: ['test/unit/normalise/observe.test.ts'],
  },
  {
    name: 'committed before counted',
    promise: 'what a batch saw that is rolled back is not stored',
    mutation: {
      replace:
        'apply(trx, decisions).then((result) => {\n  run.pending.observations.committed(result.observed)\n  return result\n})',
    },
    tests: runs,
    only: 'rolled back',
  },
  {
    name: 'bound on observed values',
    promise: 'a service that puts data in keys does not flood the mirror',
    mutation: 'never',
    tests: runs,
    only: 'puts data in keys',
  },
  {
    name: 'key in an observation',
    promise: 'a service that echoes the key in a value does not get it stored there',
    mutation: 'unwrap',
    tests: runs,
    only: 'X2',
  },
  {
    name: 'news of a run that died',
    promise: 'what a run stored and did not live to tell is told by the next one',
    mutation: 'always',
    tests: runs,
    only: 'are told by the next run',
  },
]
