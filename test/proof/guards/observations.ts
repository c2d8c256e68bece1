import type { Guard } from './guard.ts'

const runs = ['test/integration/sync/observations.test.ts']

/** What is kept and told of what the specification leaves open. */
export const observationGuards: readonly Guard[] = [
  {
    name: 'personal values',
    promise: 'no e-mail address or telephone number stands in api_observations',
    file: 'src/normalise/observe/safe-value.ts',
    text: 'return mayBeAddress.test(text) || mayBeNumber.test(text) ? WITHHELD : replaceInvalidChars(text)',
    instead: 'return replaceInvalidChars(text)',
    tests: ['test/unit/normalise/observe.test.ts'],
  },
  {
    name: 'committed before counted',
    promise: 'a batch that is rolled back is not counted',
    file: 'src/sync/write/batch-transaction.ts',
    text: 'return apply(trx, decisions)',
    instead:
      'const told = await apply(trx, decisions)\n' +
      "for (const { list } of told.lists) run.observations.addList('responses', list)\n" +
      'return told',
    tests: runs,
    only: 'rolled back',
  },
  {
    name: 'bound on observed values',
    promise: 'a service that puts data in keys does not flood the mirror',
    file: 'src/sync/drift/merge.ts',
    text: 'isNew && remaining <= 0',
    instead: 'isNew && remaining <= -1_000_000',
    tests: runs,
    only: 'puts data in keys',
  },
  {
    name: 'key in an observation',
    promise: 'a service that echoes the key in a value does not get it stored there',
    file: 'src/sync/drift/save-observations.ts',
    text: 'value: run.settings.redact(observation.value)',
    instead: 'value: observation.value',
    tests: runs,
    only: 'X2',
  },
  {
    name: 'news of rows that are old',
    promise: 'what earlier runs stored is not told as new after an upgrade',
    file: 'src/sync/drift/save-observations.ts',
    text: '!old.has(keyOf(observation))',
    instead: 'old.size >= 0',
    tests: runs,
    only: 'a mirror filled',
  },
  {
    name: 'news of a run that died',
    promise: 'what a run stored and did not live to tell is told by the next one',
    file: 'src/sync/drift/save-observations.ts',
    text: 'isOpen(observation) && !seen.has(keyOf(observation))',
    instead: 'isOpen(observation) && seen === null',
    tests: runs,
    only: 'are told by the next run',
  },
]
