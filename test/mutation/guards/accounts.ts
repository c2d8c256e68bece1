import type { Guard } from './guard.ts'

const reading = 'test/unit/config/accounts/read-accounts.test.ts'

const inspect = 'test/integration/commands/inspect/inspect.test.ts'

const doctor = 'test/integration/commands/sync/accounts/doctor-accounts.test.ts'

/** What keeps the accounts of one deployment apart. */
export const accountGuards: readonly Guard[] = [
  {
    name: 'settings that are none',
    promise: 'a mistyped setting of an account is told, and not left out in silence',
    mutation: { replace: 'false && form === undefined' },
    tests: [reading],
    only: 'an unknown setting is told',
  },
  {
    name: 'one entry for a name',
    promise: 'two entries with one name are not two runs of one account',
    mutation: 'never',
    tests: [reading],
    only: 'entries with one name',
  },
  {
    name: 'one account for a key',
    promise: 'a key that stands for two accounts stores nothing twice, and goes to one address',
    mutation: 'never',
    tests: [reading],
    only: 'accounts with one key',
  },
  {
    name: 'one place for keys',
    promise: 'a key in the environment beside an accounts file is told, and not left out in silence',
    mutation: 'remove',
    tests: [reading],
    only: 'one variable says',
  },
  {
    name: 'files that changed',
    promise: 'a key that is exchanged, or an entry that is added, is used without a restart',
    mutation: { replace: 'seen.state !== undefined' },
    tests: ['test/unit/config/accounts/accounts-reader.test.ts'],
  },
  {
    name: 'faulty until it is mended',
    promise: 'an accounts file that was faulty is used as soon as what it names is there',
    mutation: { cut: ', isSettled: false' },
    tests: ['test/unit/config/accounts/accounts-reader.test.ts'],
    only: 'until it is mended',
  },
  {
    name: 'the worst exit code',
    promise:
      'a command over many accounts ends with the worst of their exit codes, in the order that is documented',
    mutation: { replace: 'Math.max(0, ...codes)' },
    tests: ['test/unit/commands/accounts-table.test.ts'],
  },
  {
    name: 'answers for one account',
    promise: 'what confirms the deletions, or the identity, of one account confirms nothing of the others',
    mutation: 'remove',
    tests: ['test/integration/commands/sync/accounts/sync-accounts.test.ts'],
    only: 'what confirms something',
  },
  {
    name: 'a host that is down is said once',
    promise: 'doctor says once that a service does not answer, and asks it for a few accounts, not for each',
    mutation: 'never',
    tests: [doctor],
    only: 'postgres.*says once that a host is down',
  },
  {
    name: 'connections of the server',
    promise: 'doctor tells before a run that the server cannot have so many connections',
    mutation: 'never',
    tests: [doctor],
    only: 'compares the runs at once',
  },
  {
    name: 'renamed in the file alone',
    promise: 'doctor tells that an account was renamed in the file alone, and is not read',
    mutation: { replace: 'null as string | null' },
    tests: [doctor],
    only: 'postgres.*renamed in the file alone',
  },
  {
    name: 'foreseen account',
    promise: 'doctor tells of a name that the mirror does not have, and of an account that is half removed',
    mutation: { replace: '{ id: 0, name: settings.account }' },
    tests: [inspect],
    only: 'foresees what the mirror has',
  },
  {
    name: 'foreseen list without its key',
    promise: 'doctor tells that people were erased, and that the key of their list is missing or another one',
    mutation: 'remove',
    tests: [inspect],
    only: 'foresees what the mirror has',
  },
  {
    name: 'foreseen other account',
    promise: 'doctor tells that the key is of another account than the mirror',
    mutation: 'never',
    tests: [inspect],
    only: 'foresees what the mirror has',
  },
  {
    name: 'fields of an entry',
    promise: 'pseudonyms without a key are a fault of the entry, and not of each run',
    mutation: 'never',
    tests: ['test/unit/config/accounts/read-accounts.test.ts'],
    only: 'would refuse of leave_out',
  },
  {
    name: 'nothing is read any more',
    promise: 'a worker that keeps to one account is not healthy once that one is listed no more',
    mutation: { cut: 'accounts.size === 0 ?', put: 'false ?' },
    tests: ['test/unit/commands/usable-accounts.test.ts'],
    only: 'asked for is gone',
  },
  {
    name: 'key of an entry',
    promise:
      'a person of an account that an accounts file lists is erased with the key that its next run has',
    mutation: 'never',
    tests: ['test/integration/commands/maintain/person-erase.test.ts'],
    only: 'whatever the environment says',
  },
  {
    name: 'removed and still listed',
    promise: 'whoever removes an account that is still listed is told that the next run brings it back',
    mutation: 'always',
    tests: ['test/integration/commands/maintain/accounts.test.ts'],
    only: 'pglite.*says how many',
  },
  {
    name: 'keys that were renewed',
    promise: 'a worker of one account takes a key that was renewed in its file',
    mutation: 'remove',
    tests: ['test/integration/commands/sync/renewed-keys.test.ts'],
    only: '^worker goes on with the new key of HEADCOUNT_API_KEY_FILE',
  },
  {
    name: 'many accounts removed at once',
    promise: 'an accounts file that is cut off does not end many accounts without a warning',
    mutation: 'always',
    tests: ['test/unit/commands/usable-accounts.test.ts'],
  },
  {
    name: 'secret in place of its file',
    promise: 'a key that was pasted in place of the file that holds it is not shown',
    mutation: 'always',
    tests: [reading],
    only: 'in place of its file',
  },
  {
    name: 'health without secrets',
    promise: 'what stands in the accounts file is not shown at /healthz, where nobody needs a key',
    mutation: { replace: 'faults' },
    tests: ['test/integration/telemetry/metrics.test.ts'],
    only: 'over an accounts file \\(alone',
  },
]
