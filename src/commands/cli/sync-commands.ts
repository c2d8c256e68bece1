import type { CommandGroup } from './command-spec.ts'
import * as options from './options.ts'

const event = () => options.flag('--event <id...>', 'only these events; no other is written or removed')

const settings = (...[fallback]: Parameters<typeof options.database>) => [
  ...options.service(),
  options.account('name of the account inside the mirror'),
  options.newAccount(),
  options.database(fallback),
  ...options.read(),
  options.holdFor(),
]

export const syncCommands: CommandGroup = {
  heading: 'Fill the mirror:',
  commands: [
    {
      name: 'sync',
      load: async () => (await import('../sync/sync.ts')).sync,
      summary: 'read what is due and bring the mirror up to date',
      description:
        'Reads the list of events and the responses of every event that is due, and writes what changed. ' +
        'Due are events that are new, changed, upcoming or recent, that failed or were held last time, and ' +
        'older ones from time to time. Deletions that look like an outage are held (exit 8).',
      examples: [
        ['sync', 'the ordinary run, for example from cron with --quiet'],
        ['sync --all', 'read every event'],
        ['sync --event gala-2026', 'only this event'],
        ['sync --dry-run', 'what would it do? nothing is written'],
        ['sync --accept-deletions', 'apply the deletions that are held'],
      ],
      options: [
        options.flag('--all', 'read every event, not only those that are due'),
        options.flag(
          '--dry-run',
          'only compare: print what would be inserted, updated, deleted and held; same report and exit code',
        ),
        options.flag('--accept-deletions', 'apply the deletions that earlier runs held back'),
        options.flag('--adopt', 'take over a mirror that was built from another account or address'),
        event(),
        options.json('the report'),
        options.quiet(),
        ...options.below('Settings:', [...settings(), options.maxStaleness()]),
      ],
    },
    {
      name: 'backfill',
      load: async () => (await import('../sync/sync.ts')).backfill,
      summary: 'read everything again, trusting nothing that was read before',
      description:
        'Reads every event and all its responses and compares each with the mirror, row by row. It mends what ' +
        'was changed by hand; `sync` trusts what it read before and does not. A backfill that was broken off is ' +
        'continued by the next one within 24 hours: what it has read is not read again.',
      examples: [
        ['backfill', 'the whole account'],
        ['backfill --restart', 'the whole account, also when one was broken off'],
        ['backfill --event gala-2026', 'only this event'],
      ],
      options: [
        options
          .flag('--restart', 'begin anew instead of continuing one that was broken off')
          .conflicts('event'),
        event(),
        options.json('the report'),
        options.quiet(),
        ...options.below('Settings:', settings()),
      ],
    },
    {
      name: 'worker',
      load: async () => (await import('../sync/worker.ts')).worker,
      summary: 'sync on a schedule until it is stopped',
      description:
        'Runs `sync` now and then on a schedule, never two at a time. A failed run is logged and the next one tries ' +
        'again; only a refused key or a wrong setting ends the worker. It needs a database that was chosen. With ' +
        '--health-port it answers GET /healthz on 127.0.0.1.',
      examples: [
        ['worker', 'every quarter of an hour'],
        ['worker --schedule "0 6-22 * * *" --timezone Europe/Berlin', 'by day'],
      ],
      options: [
        ...options.schedule(),
        options.keepOpen(),
        options.quiet('a worker that has nothing to tell writes nothing'),
        ...options.below('Settings:', [...settings('no default here'), options.maxStaleness()]),
      ],
    },
  ],
}
