import type { Guard } from './guard.ts'

const reading = 'test/unit/config/accounts/read-accounts.test.ts'

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
]
