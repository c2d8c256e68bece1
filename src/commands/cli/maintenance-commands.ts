/** The commands that take care of the mirror. */
import { integer } from '../../common/parse-values.ts'
import * as options from './arguments/options.ts'
import { parsePastInstant } from '../../mirror/instants/moment.ts'
import type { Declare } from './declare.ts'

export const maintenanceGroup = 'Take care:'

export function declareMaintenanceCommands(declare: Declare): void {
  const doctor = declare(
    'doctor',
    maintenanceGroup,
    async () => (await import('../maintain/doctor.ts')).doctor,
    {
      summary: 'check that everything is ready, and say what to do',
      description:
        'Checks the settings, the way to the service, the key, one list, the database, its schema, the clocks ' +
        'and the free space, one line each. Writes nothing. The exit code is that of the first failing line.',
      examples: [{ line: 'doctor', what: 'before the first run, and when something is wrong' }],
    },
  )
  options.jsonOption(doctor, 'the same')
  options.serviceOptions(doctor)
  options.databaseOption(doctor)

  const verify = declare('verify', maintenanceGroup, async () => (await import('../sync/verify.ts')).verify, {
    summary: 'read the service again and compare every row with the mirror',
    description:
      'Compares events, responses, payments and slots with what the service answers now, and prints each ' +
      'difference (exit 10). Writes nothing; a run may go on meanwhile (a pglite: folder is in use until it ends). ' +
      'A list that changed since the last sync is said to have changed, and what is held is said to be held: ' +
      'neither is a difference. backfill --restart mends what it finds; sync trusts what it read before and does not.',
    examples: [
      { line: 'verify', what: 'everything' },
      { line: 'verify --sample 20', what: 'the responses to 20 events at random' },
      { line: 'verify --event gala-2026', what: 'only this event' },
    ],
  })
  verify.addOption(
    options.checked(
      '--sample <n>',
      'the responses to so many events only, chosen at random',
      integer({ min: 1, max: 1_000_000_000 }),
    ),
  )
  verify.option('--event <id...>', 'only these events')
  options.jsonOption(verify, 'what was found')
  options.quietOption(verify, 'nothing is written when all is equal')
  verify.optionsGroup('Settings:')
  options.serviceOptions(verify)
  options.accountOption(verify, 'name of the account inside the mirror')
  options.databaseOption(verify)
  options.readOptions(verify)

  const migrate = declare(
    'migrate',
    maintenanceGroup,
    async () => (await import('../maintain/migrate.ts')).migrate,
    {
      summary: 'bring the schema of the database up to date',
      description:
        'Applies the migrations that are pending, each in its own transaction. `sync` does this by itself.',
      examples: [{ line: 'migrate', what: 'as the owner of the database, after an upgrade' }],
    },
  )
  options.jsonOption(migrate, 'what was applied')
  options.quietOption(migrate, 'nothing is written when all goes well')
  options.databaseOption(migrate)

  const prune = declare('prune', maintenanceGroup, async () => (await import('../maintain/prune.ts')).prune, {
    summary: 'delete old versions from history',
    description:
      'Shows which former versions ended before a moment, asks, and deletes them in small pieces. What is live ' +
      'stays, and so does a version that reaches beyond the moment. From then on the past is told from that moment ' +
      'on (responses_at and the like refuse an earlier one). The space is used again for new versions. When it is ' +
      'interrupted, the next call deletes the rest.',
    examples: [
      { line: 'prune --history-before 2026-01-01', what: 'shows what goes, and asks' },
      { line: 'prune --history-before 365d --yes', what: 'from cron' },
    ],
  })
  prune
    .addOption(
      options
        .checked(
          '--history-before <moment>',
          'a date (midnight in UTC), an instant like 2026-01-01T12:00:00Z, or an age like 90d',
          parsePastInstant,
        )
        .makeOptionMandatory(),
    )
    .option('--yes', 'do not ask')
  options.jsonOption(prune, 'what goes')
  options.accountOption(prune, 'only of this account')
  options.databaseOption(prune)

  declareAccounts(declare)

  declare('demo', maintenanceGroup, async () => (await import('../demo/demo.ts')).demo, {
    summary: 'a walk through with an invented account, on this machine alone',
    description:
      'Serves an invented account on this machine, mirrors it into the folder ./headcount-demo, lets it change, ' +
      'mirrors it again and asks three questions. It reads no setting and touches no other mirror.',
    examples: [{ line: 'demo', what: 'takes some ten seconds' }],
  })
}

function declareAccounts(declare: Declare): void {
  const group = 'Accounts:'
  const load = async () => (await import('../maintain/accounts.ts')).accounts
  const accounts = declare('accounts', maintenanceGroup, load, {
    summary: 'the accounts of the mirror: list, rename, remove',
    description: 'Lists the accounts of the mirror, with what it has of each.',
    examples: [
      { line: 'accounts', what: 'what accounts there are' },
      { line: 'accounts rename nroth north', what: 'a name that was mistyped' },
      { line: 'accounts remove north', what: 'shows what goes, and asks' },
    ],
  })
  options.jsonOption(accounts, 'the same')
  options.databaseOption(accounts)

  const texts = {
    summary: 'the same as accounts alone',
    description: 'Lists the accounts of the mirror, with what it has of each.',
    examples: [{ line: 'accounts list --json', what: 'for a program' }],
  }
  const list = declare('list', group, load, texts, accounts)
  options.jsonOption(list, 'the same')
  options.databaseOption(list)

  const rename = declare(
    'rename',
    group,
    async () => (await import('../maintain/accounts-rename.ts')).accountsRename,
    {
      summary: 'call an account by another name',
      description:
        'Its rows, history, runs and keys stay with it. No run of it may be under way (exit 9). Change the name where it is ' +
        'mirrored from, too (cron, services).',
      examples: [{ line: 'accounts rename nroth north', what: 'a name that was mistyped' }],
    },
    accounts,
  )
  rename.argument('<old>', 'the name that it has').argument('<new>', 'the name that it gets')
  options.databaseOption(rename)

  const remove = declare(
    'remove',
    group,
    async () => (await import('../maintain/accounts-remove.ts')).accountsRemove,
    {
      summary: 'remove an account with all that the mirror has of it',
      description:
        'Shows what goes, asks, revokes its keys and deletes its rows, history, runs and settings in small transactions; other accounts ' +
        'are not touched. No run of it may be under way (exit 9). When it is broken off the account is no mirror any more, and the next call removes the rest.',
      examples: [
        { line: 'accounts remove north', what: 'shows what goes, and asks' },
        { line: 'accounts remove north --yes', what: 'without a question' },
      ],
    },
    accounts,
  )
  remove.argument('<name>', 'its name, as accounts list shows it').option('--yes', 'do not ask')
  options.databaseOption(remove)
}
