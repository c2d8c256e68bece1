import { databaseTarget, integer } from '../../../common/parse-values.ts'
import { parsePastInstant } from '../../../mirror/instants/parse-instant.ts'
import type { CommandGroup } from '../command-spec.ts'
import * as options from '../options.ts'
import { ownerCommands } from './owner-commands.ts'
import { queueCommand } from './queue-commands.ts'

const loadAccounts = () => import('../../maintain/accounts.ts')

const listsAccounts =
  'Lists the accounts of the mirror, with the time zone, the rows and the last run of each.'

const accountCommands: CommandGroup = {
  heading: 'Accounts:',
  commands: [
    {
      name: 'list',
      load: async () => (await loadAccounts()).accounts,
      summary: 'the same as accounts',
      description: listsAccounts,
      examples: [['accounts list --json', 'for a program']],
      options: [options.json('print the same'), options.database()],
    },
    {
      name: 'rename',
      load: async () => (await loadAccounts()).accountsRename,
      summary: 'rename an account',
      description:
        'Rows, history, runs and keys stay with the account. Refused while a run of the account is in progress (exit 9). ' +
        'Change --account or HEADCOUNT_ACCOUNT in cron jobs and services too.',
      examples: [['accounts rename nroth north', 'correct a mistyped name']],
      args: [
        ['<old>', 'its current name'],
        ['<new>', 'its new name'],
      ],
      options: [options.force(), options.database()],
    },
    {
      name: 'set',
      load: async () => (await loadAccounts()).accountsSet,
      summary: 'set the time zone of an account',
      description:
        'The views count days and months in this zone; the times in the tables stay as they are. The zone must be one of ' +
        'pg_timezone_names in the database. The setting headcount.time_zone of a session overrides it.',
      examples: [['accounts set north --time-zone Europe/Berlin', 'days begin at midnight in Berlin']],
      args: [['<name>', 'its name, as shown by accounts']],
      options: [
        options
          .flag('--time-zone <zone>', 'a name of the IANA list like Europe/Berlin; at first UTC')
          .makeOptionMandatory(),
        ...options.ofChange('print what was set'),
      ],
    },
    {
      name: 'remove',
      load: async () => (await loadAccounts()).accountsRemove,
      summary: 'delete an account and all its data from the mirror',
      description:
        "Shows what will be deleted, asks, revokes the account's keys, and deletes its rows, history, runs and settings in " +
        'small transactions. Other accounts are not touched. Refused while a run of the account is in progress (exit 9). ' +
        'After an interruption the account can no longer be used; run the command again to delete the rest. ' +
        'The suppression list of the account is deleted, too: export it first, with person suppressions --json. ' +
        'Take an account out of the accounts file before: the next run would bring it back.',
      examples: [
        ['accounts remove north', 'show what will be deleted, and ask'],
        ['accounts remove north --yes', 'without asking'],
      ],
      args: [['<name>', 'its name, as shown by accounts']],
      options: [options.flag('--yes', 'do not ask'), options.force(), options.database()],
    },
  ],
}

export const maintenanceCommands: CommandGroup = {
  heading: 'Maintain it:',
  commands: [
    {
      name: 'doctor',
      load: async () => (await import('../../maintain/doctor.ts')).doctor,
      summary: 'check settings, service, key and database, and say what to do',
      description:
        'Checks the settings, the connection to the service, the key, one list, the database, its schema, what the mirror has against the next run, the mail ' +
        'server where one is set, the clocks and the free disk space, one line each. Writes and sends nothing. Ends with the exit code of the first failed check.',
      examples: [['doctor', 'before the first run, or when something fails']],
      options: [
        options.json('print the same'),
        options.resultFormat(),
        ...options.service(),
        options.doctorTimeout(),
        options.account('only this account of the accounts file'),
        options.database(),
        ...options.pool(),
      ],
    },
    {
      name: 'verify',
      load: async () => (await import('../../sync/verify.ts')).verify,
      summary: 'read the service again and compare every row with the mirror',
      description:
        'Compares events, responses, payments and slots with the current answers of the service, and prints each ' +
        'difference (exit 10). Writes nothing. Runs may go on at the same time (a pglite: folder is locked until verify ends). ' +
        'Lists that changed since the last sync and held deletions are reported as such; neither is a difference. ' +
        'backfill --restart corrects what verify finds; sync does not, because it skips lists that did not change. ' +
        'Rows are compared as the bytes that a sync would write. One list in a hundred, chosen at random, is parsed by ' +
        'other code and compared in SQL, so that an error in the parser would show.',
      examples: [
        ['verify', 'everything'],
        ['verify --sample 20', 'the responses to 20 events, chosen at random'],
        ['verify --event gala-2026', 'only this event'],
      ],
      options: [
        options
          .checked(
            '--sample <n>',
            'only the responses to this many events, chosen at random',
            integer({ min: 1, max: 1_000_000_000 }),
          )
          .conflicts('event'),
        options.flag('--thorough', 'parse every list by the other code and compare in SQL: slower'),
        options.flag('--event <id...>', 'only these events'),
        options.json('print what was found'),
        options.resultFormat(),
        options.quiet('no output when all is equal'),
        ...options.below('Settings:', [
          ...options.service(),
          options.account('name of the account in the mirror'),
          options.database(),
          ...options.read(),
          ...options.pool(),
        ]),
      ],
    },
    {
      name: 'completion',
      load: async () => (await import('../../completion/completion.ts')).completion,
      summary: 'print the script that completes commands and flags in a shell',
      description:
        'Prints a script for bash, zsh or fish. It completes the command headcount, so it is useful only where headcount is ' +
        'installed globally, or has that name as an alias. Regenerate it after an upgrade.',
      examples: [
        ['completion bash > ~/.local/share/bash-completion/completions/headcount', 'bash'],
        ['completion zsh > "${fpath[1]}/_headcount"', 'zsh'],
        ['completion fish > ~/.config/fish/completions/headcount.fish', 'fish'],
      ],
      args: [['<shell>', 'bash, zsh or fish']],
    },
    {
      name: 'migrate',
      load: async () => (await import('../../maintain/migrate.ts')).migrate,
      summary: 'update the database schema',
      description: 'Applies pending migrations, each in its own transaction. `sync` does this too.',
      examples: [
        ['migrate', 'as the owner of the database, after an upgrade'],
        ['migrate --queue', 'where workers may not create schemas'],
      ],
      options: [
        options.flag('--queue', 'make the schema of worker --queue too, or bring it up to date'),
        options.json('print what was applied'),
        options.quiet('no output on success'),
        options.database(),
      ],
    },
    queueCommand,
    {
      name: 'prune',
      load: async () => (await import('../../maintain/prune.ts')).prune,
      summary: 'delete old versions from history',
      description:
        'Shows which former versions ended before the given time, asks, and deletes them in small transactions. Current ' +
        'rows stay, and so does a version that was still valid at that time. Afterwards history begins at that time: ' +
        'responses_at and the other functions refuse an earlier one. Postgres reuses the space for new versions. After ' +
        'an interruption, run the command again to delete the rest.',
      examples: [
        ['prune --history-before 2026-01-01', 'show what will be deleted, and ask'],
        ['prune --history-before 365d --yes', 'from cron'],
      ],
      options: [
        options
          .checked(
            '--history-before <time>',
            'a date (midnight UTC), a time like 2026-01-01T12:00:00Z, or an age like 90d',
            parsePastInstant,
          )
          .makeOptionMandatory(),
        options.flag('--yes', 'do not ask'),
        ...options.ofChange('print what is deleted', 'only in this account'),
      ],
    },
    {
      name: 'move',
      load: async () => (await import('../../maintain/transfer.ts')).move,
      summary: 'copy the mirror into an empty database, and go on there',
      description:
        'Copies everything into an empty database of either engine: rows, history, runs, what is known of each list, rejects, keys, the ' +
        'suppression list. Runs are kept out meanwhile (exit 9 when one is in progress). All of it is one transaction there, and is ' +
        'compared by counts and checksums before it is done: if it is interrupted earlier, that database stays empty. Then this mirror is marked: ' +
        'sync and all that writes end with exit 2 here, unless they are given --force. The next sync there reads as few lists as it would ' +
        'have read here. This database still holds everything, also of people who are erased later: delete it once nothing uses it. Roles that read the mirror belong to the server: the command says how to add them there.',
      examples: [
        ['move --to postgres://…', 'from the folder of the first steps to a server'],
        ['move --to pglite:./headcount-data', 'from a server to a folder'],
      ],
      options: [
        options
          .checked('--to <url>', 'the empty database: postgres://… or pglite:<folder>', databaseTarget)
          .makeOptionMandatory(),
        options.flag('--force', 'move a mirror that was moved before'),
        options.json('print what was moved'),
        options.quiet(),
        options.database(),
      ],
    },
    {
      name: 'backup',
      load: async () => (await import('../../maintain/transfer.ts')).backup,
      summary: 'write the mirror to a file',
      description:
        'Writes everything that the mirror holds to one file, of one moment: a compressed tar with the rows of each table as COPY ' +
        'writes them, and manifest.json. It has names, addresses and messages, so that only its owner may read it (mode 0600). The ' +
        'file gets its name when it is whole; what a killed backup left in the folder is cleared by one that begins an hour later. It ' +
        'must be a new file or a regular one: for a device or a pipe write it to a file, then copy it. Runs are kept out meanwhile ' +
        '(exit 9 when one is in progress). Keep the suppression lists beside it: person suppressions --json, after each erasure.',
      examples: [['backup /backups/mirror.tar.gz', 'a new file']],
      args: [['<file>', 'the file to write']],
      options: [
        options.flag('--force', 'replace a file of this name'),
        options.json('print what the file holds'),
        options.quiet(),
        options.database(),
      ],
    },
    {
      name: 'restore',
      load: async () => (await import('../../maintain/transfer.ts')).restore,
      summary: 'restore a mirror from a backup into an empty database',
      description:
        'Reads the whole file first: one that is cut short or changed is refused, and what is no regular file. Then everything is ' +
        'written in one transaction, compared by counts and checksums, and brought to the schema of this program. The database must ' +
        'be empty; a missing folder is made. A backup brings back whom you erased since: give the suppression lists from after it ' +
        'with --suppressions (needs HEADCOUNT_PERSON_KEY_FILE). It brings back, too, what was forgotten, left ' +
        'out or pruned since, and keys and links that were revoked: the command says how many keys and links open the mirror, and ' +
        'which erasures it knows of.',
      examples: [
        ['restore /backups/mirror.tar.gz', 'into the database of the settings'],
        ['restore mirror.tar.gz --suppressions list.json', 'nobody who was erased since comes back'],
      ],
      args: [['<file>', 'a file that backup wrote']],
      options: [
        options.repeated(
          '--suppressions <file>',
          'erase everybody on this list, which person suppressions --json printed; may be given again',
        ),
        options.json('print what was restored'),
        options.quiet(),
        options.database(),
      ],
    },
    ...ownerCommands,
    {
      name: 'accounts',
      load: async () => (await loadAccounts()).accounts,
      summary: 'list, set, rename or remove the accounts of the mirror',
      description: listsAccounts,
      examples: [
        ['accounts', 'list them'],
        ['accounts rename nroth north', 'correct a mistyped name'],
        ['accounts set north --time-zone Europe/Berlin', 'its days and months'],
        ['accounts remove north', 'show what will be deleted, and ask'],
      ],
      options: [options.json('print the same'), options.database()],
      group: accountCommands,
    },
    {
      name: 'demo',
      load: async () => (await import('../../demo/demo.ts')).demo,
      summary: 'try everything with a sample account on this machine',
      description:
        'Serves a sample account on this machine, mirrors it into the folder ./headcount-demo, changes it, mirrors it ' +
        'again and runs four queries. Reads no settings and touches no other mirror.',
      examples: [['demo', 'takes about ten seconds']],
    },
  ],
}
