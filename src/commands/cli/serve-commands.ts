import { duration, keyLabel } from '../../common/parse-values.ts'
import { parseFutureInstant } from '../../mirror/instants/parse-instant.ts'
import type { CommandGroup } from './command-spec.ts'
import * as options from './options.ts'

const loadKeys = () => import('../serve/keys.ts')

const keyCommands: CommandGroup = {
  heading: 'Keys:',
  commands: [
    {
      name: 'create',
      load: async () => (await loadKeys()).keysCreate,
      summary: 'make a key for one account and print it',
      description:
        'Prints the new key, alone on stdout. It opens one account, for reading. Nobody can show it again: one that ' +
        'is lost is revoked and replaced. The account is the one that is named, else default, else the only one of the mirror.',
      examples: [
        ['keys create > website.key', 'into a file'],
        ['keys create --label website --expires 90d', 'for ninety days'],
        ['keys create --account north --json', 'with its number, for a program'],
      ],
      options: [
        options.checked(
          '--label <text>',
          'what it is for, as keys list shows it (at most 200 characters)',
          keyLabel,
        ),
        options.checked(
          '--expires <moment>',
          'when it ends: a date (midnight in UTC), an instant like 2030-01-01T12:00:00Z, or a time from now like 90d; default never',
          parseFutureInstant,
        ),
        options.json('the key with its number'),
        options.account('the account that it opens'),
        options.database(),
      ],
    },
    {
      name: 'list',
      load: async () => (await loadKeys()).keys,
      summary: 'the same as keys',
      description:
        'Lists the keys of the mirror: number, account, label, state (active, expired or revoked), and the day of ' +
        'the last use in UTC.',
      examples: [['keys list --account north', 'of one account']],
      options: options.ofAccounts(),
    },
    {
      name: 'revoke',
      load: async () => (await loadKeys()).keysRevoke,
      summary: 'take a key back, for ever',
      description: 'From then on the key opens nothing. It stays in the list, as revoked.',
      examples: [['keys revoke 3', 'the number is in keys list']],
      args: [['<id>', 'the number of the key, as keys list shows it']],
      options: [
        options.json('what was revoked'),
        options.account('only when it is of this account'),
        options.database(),
      ],
    },
  ],
}

export const serveCommands: CommandGroup = {
  heading: 'Serve it:',
  commands: [
    {
      name: 'serve',
      load: async () => (await import('../serve/serve.ts')).serve,
      summary: 'answer as the service, from the mirror, until it is stopped',
      description:
        'Answers GET /api/v1/ping, /api/v1/events and /api/v1/events/:event_id/responses over HTTP, to whoever shows a ' +
        'key that keys create made; the key decides which account is shown. /docs describes it. With --sync the mirror is kept ' +
        'up to date by the same process, as by worker; a pglite: folder can be served and filled in no other way.',
      examples: [
        ['serve', 'on http://127.0.0.1:8080/api/v1'],
        ['serve --sync', 'and run the schedule of the worker'],
        ['serve --port 0 --max-age 1h', 'on any free port; 503 when the mirror is older'],
      ],
      options: [
        options.flag('--sync', 'run `sync` now and then on the schedule of the worker'),
        options.checked(
          '--max-age <time>',
          'answer 503 when the last good run of an account is older, or deletions are held too long',
          duration('1s', '365d'),
        ),
        options.quiet('only the line that says where it listens'),
        ...options.below('Settings:', [...options.listen(), options.database()]),
        ...options.below('Settings of --sync:', [
          ...options.service(),
          options.account('name of the account that is kept up to date'),
          options.newAccount(),
          ...options.read(),
          options.holdFor(),
          options.maxStaleness(),
          ...options.schedule(),
        ]),
      ],
    },
    {
      name: 'keys',
      load: async () => (await loadKeys()).keys,
      summary: 'keys with which the mirror is asked as a service',
      description:
        'Lists the keys of the mirror: what each is for, its state, and the day of its last use. A key itself is ' +
        'shown once, when it is created; the mirror keeps only its hash.',
      examples: [
        ['keys create --label website', 'a new key, on stdout'],
        ['keys', 'what keys there are'],
        ['keys revoke 3', 'this one opens nothing any more'],
      ],
      options: options.ofAccounts(),
      group: keyCommands,
    },
  ],
}
