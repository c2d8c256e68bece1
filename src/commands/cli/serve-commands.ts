/** The commands with which the mirror serves others. */
import { duration } from '../../common/parse-values.ts'
import { keyLabel } from '../../mirror/keys/label.ts'
import { parseFutureInstant } from '../../mirror/instants/moment.ts'
import * as options from './arguments/options.ts'
import type { Declare } from './declare.ts'

const group = 'Serve it:'
const groupOfKeys = 'Keys:'

export function declareServeCommands(declare: Declare): void {
  declareService(declare)
  declareKeys(declare)
}

function declareService(declare: Declare): void {
  const serve = declare('serve', group, async () => (await import('../serve/serve.ts')).serve, {
    summary: 'answer as the service, from the mirror, until it is stopped',
    description:
      'Answers GET /api/v1/ping, /api/v1/events and /api/v1/events/:event_id/responses over HTTP, to whoever shows a ' +
      'key that keys create made; the key decides which account is shown. /docs describes it. With --sync the mirror is kept ' +
      'up to date by the same process, as by worker; a pglite: folder can be served and filled in no other way.',
    examples: [
      { line: 'serve', what: 'on http://127.0.0.1:8080/api/v1' },
      { line: 'serve --sync', what: 'and run the schedule of the worker' },
      {
        line: 'serve --port 0 --max-age 1h',
        what: 'on any free port; 503 when the mirror is older',
      },
    ],
  })
  serve
    .option('--sync', 'run `sync` now and then on the schedule of the worker')
    .addOption(
      options.checked(
        '--max-age <time>',
        'answer 503 when the last good run of an account is older, or deletions are held too long',
        duration('1s', '365d'),
      ),
    )
  options.quietOption(serve, 'only the line that says where it listens')
  serve.optionsGroup('Settings:')
  options.listenOptions(serve)
  options.databaseOption(serve)
  serve.optionsGroup('Settings of --sync:')
  options.serviceOptions(serve)
  options.accountOption(serve, 'name of the account that is kept up to date')
  options.newAccountOption(serve)
  options.runOptions(serve)
  options.stalenessOption(serve)
  options.scheduleOptions(serve)
}

function declareKeys(declare: Declare): void {
  const load = async () => (await import('../serve/keys.ts')).keys
  const keys = declare('keys', group, load, {
    summary: 'keys with which the mirror is asked as a service',
    description:
      'Lists the keys of the mirror: what each is for, its state, and the day of its last use. A key itself is ' +
      'shown once, when it is created; the mirror keeps only its hash.',
    examples: [
      { line: 'keys create --label website', what: 'a new key, on stdout' },
      { line: 'keys', what: 'what keys there are' },
      { line: 'keys revoke 3', what: 'this one opens nothing any more' },
    ],
  })
  options.accountsOptions(keys)

  const create = declare(
    'create',
    groupOfKeys,
    async () => (await import('../serve/keys-create.ts')).keysCreate,
    {
      summary: 'make a key for one account and print it',
      description:
        'Prints the new key, alone on stdout. It opens one account, for reading. Nobody can show it again: one that ' +
        'is lost is revoked and replaced. The account is the one that is named, else default, else the only one of the mirror.',
      examples: [
        { line: 'keys create > website.key', what: 'into a file' },
        { line: 'keys create --label website --expires 90d', what: 'for ninety days' },
        { line: 'keys create --account north --json', what: 'with its number, for a program' },
      ],
    },
    keys,
  )
  create
    .addOption(
      options.checked(
        '--label <text>',
        'what it is for, as keys list shows it (at most 200 characters)',
        keyLabel,
      ),
    )
    .addOption(
      options.checked(
        '--expires <moment>',
        'when it ends: a date (midnight in UTC), an instant like 2030-01-01T12:00:00Z, or a time from now like 90d; default never',
        parseFutureInstant,
      ),
    )
  options.jsonOption(create, 'the key with its number')
  options.accountOption(create, 'the account that it opens')
  options.databaseOption(create)

  const list = declare(
    'list',
    groupOfKeys,
    load,
    {
      summary: 'the same as keys',
      description:
        'Lists the keys of the mirror: number, account, label, state (active, expired or revoked), and the day of ' +
        'the last use in UTC.',
      examples: [{ line: 'keys list --account north', what: 'of one account' }],
    },
    keys,
  )
  options.accountsOptions(list)

  const revoke = declare(
    'revoke',
    groupOfKeys,
    async () => (await import('../serve/keys-revoke.ts')).keysRevoke,
    {
      summary: 'take a key back, for ever',
      description: 'From then on the key opens nothing. It stays in the list, as revoked.',
      examples: [{ line: 'keys revoke 3', what: 'the number is in keys list' }],
    },
    keys,
  )
  revoke.argument('<id>', 'the number of the key, as keys list shows it')
  options.jsonOption(revoke, 'what was revoked')
  options.accountOption(revoke, 'only when it is of this account')
  options.databaseOption(revoke)
}
