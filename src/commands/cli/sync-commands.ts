/** The commands that fill the mirror. */
import { Option, type Command as Declaration } from 'commander'
import * as options from './arguments/options.ts'
import type { Declare } from './declare.ts'

const group = 'Fill the mirror:'

export function declareSyncCommands(declare: Declare): void {
  const sync = declare('sync', group, async () => (await import('../sync/sync.ts')).sync, {
    summary: 'read what is due and bring the mirror up to date',
    description:
      'Reads the list of events and the responses of every event that is due, and writes what changed. ' +
      'Due are events that are new, changed, upcoming or recent, that failed or were held last time, and ' +
      'older ones from time to time. Deletions that look like an outage are held (exit 8).',
    examples: [
      { line: 'sync', what: 'the ordinary run, for example from cron with --quiet' },
      { line: 'sync --all', what: 'read every event' },
      { line: 'sync --event gala-2026', what: 'only this event' },
      { line: 'sync --dry-run', what: 'what would it do? nothing is written' },
      { line: 'sync --accept-deletions', what: 'apply the deletions that are held' },
    ],
  })
  sync
    .option('--all', 'read every event, not only those that are due')
    .option(
      '--dry-run',
      'only compare: print what would be inserted, updated, deleted and held; same report and exit code',
    )
    .option('--accept-deletions', 'apply the deletions that earlier runs held back')
    .option('--adopt', 'take over a mirror that was built from another account or address')
  options.eventOption(sync)
  mirrorSettings(sync)
  options.stalenessOption(sync)

  const backfill = declare('backfill', group, async () => (await import('../sync/backfill.ts')).backfill, {
    summary: 'read everything again, trusting nothing that was read before',
    description:
      'Reads every event and all its responses and compares each with the mirror, row by row. It mends what ' +
      'was changed by hand; `sync` trusts what it read before and does not. A backfill that was broken off is ' +
      'continued by the next one within 24 hours: what it has read is not read again.',
    examples: [
      { line: 'backfill', what: 'the whole account' },
      { line: 'backfill --restart', what: 'the whole account, also when one was broken off' },
      { line: 'backfill --event gala-2026', what: 'only this event' },
    ],
  })
  backfill.addOption(
    new Option('--restart', 'begin anew instead of continuing one that was broken off').conflicts('event'),
  )
  options.eventOption(backfill)
  mirrorSettings(backfill)

  const worker = declare('worker', group, async () => (await import('../sync/worker.ts')).worker, {
    summary: 'sync on a schedule until it is stopped',
    description:
      'Runs `sync` now and then on a schedule, never two at a time. A failed run is logged and the next one tries ' +
      'again; only a refused key or a wrong setting ends the worker. It needs a database that was chosen. With ' +
      '--health-port it answers GET /healthz on 127.0.0.1.',
    examples: [
      { line: 'worker', what: 'every quarter of an hour' },
      { line: 'worker --schedule "0 6-22 * * *" --timezone Europe/Berlin', what: 'by day' },
    ],
  })
  options.scheduleOptions(worker)
  options.keepOpenOption(worker)
  options.quietOption(worker, 'a worker that has nothing to tell writes nothing')
  serviceSettings(worker, 'no default here')
  options.stalenessOption(worker)
}

function mirrorSettings(command: Declaration): void {
  options.jsonOption(command, 'the report')
  options.quietOption(command)
  serviceSettings(command)
}

function serviceSettings(command: Declaration, databaseFallback?: string): void {
  command.optionsGroup('Settings:')
  options.serviceOptions(command)
  options.accountOption(command, 'name of the account inside the mirror')
  options.newAccountOption(command)
  options.databaseOption(command, databaseFallback)
  options.runOptions(command)
}
