import { integer } from '../../common/parse-values.ts'
import { parsePastInstant } from '../../mirror/instants/parse-instant.ts'
import type { CommandGroup } from './command-spec.ts'
import * as options from './options.ts'

const loadAccounts = () => import('../maintain/accounts.ts')

const listsAccounts = 'Lists the accounts of the mirror, with what it has of each.'

const accountCommands: CommandGroup = {
  heading: 'Accounts:',
  commands: [
    {
      name: 'list',
      load: async () => (await loadAccounts()).accounts,
      summary: 'the same as accounts alone',
      description: listsAccounts,
      examples: [['accounts list --json', 'for a program']],
      options: [options.json('the same'), options.database()],
    },
    {
      name: 'rename',
      load: async () => (await loadAccounts()).accountsRename,
      summary: 'call an account by another name',
      description:
        'Its rows, history, runs and keys stay with it. No run of it may be under way (exit 9). Change the name where it is ' +
        'mirrored from, too (cron, services).',
      examples: [['accounts rename nroth north', 'a name that was mistyped']],
      args: [
        ['<old>', 'the name that it has'],
        ['<new>', 'the name that it gets'],
      ],
      options: [options.database()],
    },
    {
      name: 'remove',
      load: async () => (await import('../maintain/accounts-remove.ts')).accountsRemove,
      summary: 'remove an account with all that the mirror has of it',
      description:
        'Shows what goes, asks, revokes its keys and deletes its rows, history, runs and settings in small transactions; other accounts ' +
        'are not touched. No run of it may be under way (exit 9). When it is broken off the account is no mirror any more, and the next call removes the rest.',
      examples: [
        ['accounts remove north', 'shows what goes, and asks'],
        ['accounts remove north --yes', 'without a question'],
      ],
      args: [['<name>', 'its name, as accounts list shows it']],
      options: [options.flag('--yes', 'do not ask'), options.database()],
    },
  ],
}

export const maintenanceCommands: CommandGroup = {
  heading: 'Take care:',
  commands: [
    {
      name: 'doctor',
      load: async () => (await import('../maintain/doctor.ts')).doctor,
      summary: 'check that everything is ready, and say what to do',
      description:
        'Checks the settings, the way to the service, the key, one list, the database, its schema, the clocks ' +
        'and the free space, one line each. Writes nothing. The exit code is that of the first failing line.',
      examples: [['doctor', 'before the first run, and when something is wrong']],
      options: [options.json('the same'), ...options.service(), options.database()],
    },
    {
      name: 'verify',
      load: async () => (await import('../sync/verify.ts')).verify,
      summary: 'read the service again and compare every row with the mirror',
      description:
        'Compares events, responses, payments and slots with what the service answers now, and prints each ' +
        'difference (exit 10). Writes nothing; a run may go on meanwhile (a pglite: folder is in use until it ends). ' +
        'A list that changed since the last sync is said to have changed, and what is held is said to be held: ' +
        'neither is a difference. backfill --restart mends what it finds; sync trusts what it read before and does not. ' +
        'Rows are compared as bytes, made as a sync makes them; one list in a hundred, chosen at random, is read another ' +
        'way and compared in SQL, so that a mistake in the reading would be seen.',
      examples: [
        ['verify', 'everything'],
        ['verify --sample 20', 'the responses to 20 events at random'],
        ['verify --event gala-2026', 'only this event'],
      ],
      options: [
        options.checked(
          '--sample <n>',
          'the responses to so many events only, chosen at random',
          integer({ min: 1, max: 1_000_000_000 }),
        ),
        options.flag(
          '--thorough',
          'every list is read another way than a sync does and compared in SQL: slower',
        ),
        options.flag('--event <id...>', 'only these events'),
        options.json('what was found'),
        options.quiet('nothing is written when all is equal'),
        ...options.below('Settings:', [
          ...options.service(),
          options.account('name of the account inside the mirror'),
          options.database(),
          ...options.read(),
        ]),
      ],
    },
    {
      name: 'migrate',
      load: async () => (await import('../maintain/migrate.ts')).migrate,
      summary: 'bring the schema of the database up to date',
      description:
        'Applies the migrations that are pending, each in its own transaction. `sync` does this by itself.',
      examples: [['migrate', 'as the owner of the database, after an upgrade']],
      options: [
        options.json('what was applied'),
        options.quiet('nothing is written when all goes well'),
        options.database(),
      ],
    },
    {
      name: 'prune',
      load: async () => (await import('../maintain/prune.ts')).prune,
      summary: 'delete old versions from history',
      description:
        'Shows which former versions ended before a moment, asks, and deletes them in small pieces. What is live ' +
        'stays, and so does a version that reaches beyond the moment. From then on the past is told from that moment ' +
        'on (responses_at and the like refuse an earlier one). The space is used again for new versions. When it is ' +
        'interrupted, the next call deletes the rest.',
      examples: [
        ['prune --history-before 2026-01-01', 'shows what goes, and asks'],
        ['prune --history-before 365d --yes', 'from cron'],
      ],
      options: [
        options
          .checked(
            '--history-before <moment>',
            'a date (midnight in UTC), an instant like 2026-01-01T12:00:00Z, or an age like 90d',
            parsePastInstant,
          )
          .makeOptionMandatory(),
        options.flag('--yes', 'do not ask'),
        options.json('what goes'),
        options.account('only of this account'),
        options.database(),
      ],
    },
    {
      name: 'accounts',
      load: async () => (await loadAccounts()).accounts,
      summary: 'the accounts of the mirror: list, rename, remove',
      description: listsAccounts,
      examples: [
        ['accounts', 'what accounts there are'],
        ['accounts rename nroth north', 'a name that was mistyped'],
        ['accounts remove north', 'shows what goes, and asks'],
      ],
      options: [options.json('the same'), options.database()],
      group: accountCommands,
    },
    {
      name: 'demo',
      load: async () => (await import('../demo/demo.ts')).demo,
      summary: 'a walk through with an invented account, on this machine alone',
      description:
        'Serves an invented account on this machine, mirrors it into the folder ./headcount-demo, lets it change, ' +
        'mirrors it again and asks three questions. It reads no setting and touches no other mirror.',
      examples: [['demo', 'takes some ten seconds']],
    },
  ],
}
