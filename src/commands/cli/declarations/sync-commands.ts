import type { CommandGroup } from '../command-spec.ts'
import * as options from '../options.ts'

/** Of one run. */
const ofRun = () => [
  options.force(),
  options.flag('--event <id...>', 'only these events; others are neither written nor removed'),
  options.json('print the report'),
  options.resultFormat(),
  options.quiet(),
]

const settings = (...[fallback]: Parameters<typeof options.database>) => [
  ...options.service(),
  options.account('name of the account in the mirror'),
  ...options.of('newAccount'),
  options.database(fallback),
  ...options.read(),
  ...options.pool(),
  ...options.of('holdFor', 'forgetAfter'),
]

export const syncCommands: CommandGroup = {
  heading: 'Fill the mirror:',
  commands: [
    {
      name: 'sync',
      load: async () => (await import('../../sync/sync.ts')).sync,
      summary: 'read the events that are due and update the mirror',
      description:
        'Reads the event list and the responses of every event that is due, and writes what changed. An event is ' +
        'due when it is new, changed, upcoming or recent, when it failed or was held last time, and from time to time ' +
        'when it is old. Deletions that look like an outage are held (exit 8). With an accounts file and without --account: all ' +
        'accounts of the file, some at once; the exit code is the worst.',
      examples: [
        ['sync', 'a normal run; from cron add --quiet'],
        ['sync --all', 'read every event'],
        ['sync --event gala-2026', 'only this event'],
        ['sync --dry-run', 'show what would change; write nothing'],
        ['sync --accept-deletions', 'apply held deletions'],
      ],
      options: [
        options.flag('--all', 'read every event, not only those that are due').conflicts('event'),
        options.flag(
          '--dry-run',
          'write nothing: print what would be inserted, updated, deleted and held; same report and exit code',
        ),
        options.flag('--accept-deletions', 'apply the deletions that earlier runs held'),
        options.flag('--adopt', 'take over a mirror that was built from another account or address'),
        options.flag(
          '--apply-to-history',
          'also take what HEADCOUNT_LEAVE_OUT and HEADCOUNT_PSEUDONYMISE name from former versions, once',
        ),
        ...ofRun(),
        ...options.below('Settings:', [...settings(), ...options.of('maxStaleness')]),
      ],
    },
    {
      name: 'backfill',
      load: async () => (await import('../../sync/sync.ts')).backfill,
      summary: 'read everything again and compare every row',
      description:
        'Reads every event and all its responses, compares each row with the mirror, and corrects rows that were changed ' +
        'by hand; `sync` does not, because it skips lists that did not change. An interrupted backfill is continued by ' +
        'the next one within 24 hours, without reading the same lists again.',
      examples: [
        ['backfill', 'the whole account'],
        ['backfill --restart', 'the whole account, even after an interrupted one'],
        ['backfill --event gala-2026', 'only this event'],
      ],
      options: [
        options
          .flag('--restart', 'start over instead of continuing an interrupted backfill')
          .conflicts('event'),
        ...ofRun(),
        ...options.below('Settings:', settings()),
      ],
    },
    {
      name: 'worker',
      load: async () => (await import('../../sync/worker.ts')).worker,
      summary: 'sync on a schedule until stopped',
      description:
        'Runs `sync` at once and then on a schedule, never two at a time. A failed run is logged and the next one tries ' +
        'again; only a refused key or a wrong setting ends the worker. The database must be named. With --health-port ' +
        'it answers GET /healthz and, for Prometheus, GET /metrics on 127.0.0.1. With HEADCOUNT_ACCOUNTS_FILE or HEADCOUNT_KEYS_DIR ' +
        'it runs each account by its own schedule, at most --runs at once; it looks for changes of the files every ten seconds, a ' +
        'failing account does not end it, and GET /healthz/NAME answers for one account. With --queue, on Postgres, workers on several ' +
        'machines share the accounts: one of them sends who is due, and each takes as many as it has room for. `queue` ' +
        'shows what is in the queue.',
      examples: [
        ['worker', 'every 15 minutes'],
        ['worker --schedule "0 6-22 * * *" --timezone Europe/Berlin', 'hourly by day'],
        ['worker --queue', 'on each of several machines'],
      ],
      options: [
        ...options.of('schedule', 'timezone'),
        ...options.health(),
        ...options.of('queue', 'runsPerHost'),
        ...options.digests(),
        ...options.of('keepOpen'),
        options.quiet('no output while all goes well'),
        ...options.below('Settings:', [...settings('no default'), ...options.of('maxStaleness')]),
      ],
    },
  ],
}
