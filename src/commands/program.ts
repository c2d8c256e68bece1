/** The command line as it is declared: names, flags, help. What a command does is loaded when it is called. */
import { Command as Declaration } from 'commander'
import { duration, integer, oneOf } from '../config/values.ts'
import type { Command } from './context.ts'
import { examples, exitCodes, helpStyle, section, settingsHelp, type Example } from './help.ts'
import * as options from './options.ts'
import type { Terminal } from './terminal.ts'
import { unknownCommand } from './usage.ts'
import { version } from '../version.ts'

/** Runs the command that was called. */
export type Execute = <F>(command: Command<F>, flags: F, operands: readonly string[]) => Promise<void>

const mirrorGroup = 'Fill the mirror:'
const lookGroup = 'Look at it:'
const careGroup = 'Take care:'

export function createProgram(terminal: Terminal, execute: Execute): Declaration {
  const { out } = terminal
  const program = new Declaration('headcount')
    .description('Keeps a Postgres mirror of your event account, so that you can ask questions in SQL.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp(helpStyle(out))
    .configureOutput({
      writeOut: (text) => void out.write(text),
      // Failures are written in one place, by the caller.
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHasColors: () => true,
    })
    .addHelpText('after', () => section(out, 'Settings:', settingsHelp))
    .addHelpText('after', () => examples(out, startExamples))
    .addHelpText('after', () => section(out, 'Exit codes:', exitCodes))
    .addHelpText('after', '\nhelp <command> or <command> --help tells more; --version prints the version.')

  /** Declares a command whose code is loaded only when it is called. */
  const declare = <F>(
    name: string,
    group: string,
    load: () => Promise<Command<F>>,
    texts: Texts,
  ): Declaration =>
    program
      .command(name)
      .helpGroup(group)
      .summary(texts.summary)
      .description(texts.description)
      .addHelpText('after', () => examples(out, texts.examples))
      .allowExcessArguments(false)
      .action(async function (this: Declaration) {
        await execute(await load(), this.opts<F & object>(), this.args)
      })

  declareMirror(declare)
  declareLook(declare)
  declareCare(declare)
  declareHelp(program)
  return program
}

type Declare = <F>(name: string, group: string, load: () => Promise<Command<F>>, texts: Texts) => Declaration

interface Texts {
  readonly summary: string
  readonly description: string
  readonly examples: readonly Example[]
}

const startExamples: readonly Example[] = [
  { line: 'headcount doctor', what: 'is everything ready?' },
  { line: 'headcount sync', what: 'bring the mirror up to date' },
  { line: 'headcount query "select kind, count(*) from responses group by kind"', what: 'ask' },
]

function declareMirror(declare: Declare): void {
  const sync = declare('sync', mirrorGroup, async () => (await import('./sync.ts')).sync, {
    summary: 'read what is due and bring the mirror up to date',
    description:
      'Reads the list of events and the responses of every event that is due, and writes what changed. ' +
      'Due are events that are new, changed, upcoming or recent, that failed or were held last time, and ' +
      'older ones from time to time. Deletions that look like an outage are held (exit 8).',
    examples: [
      { line: 'headcount sync', what: 'the ordinary run, for example from cron with --quiet' },
      { line: 'headcount sync --all', what: 'read every event' },
      { line: 'headcount sync --event gala-2026', what: 'only this event' },
      { line: 'headcount sync --accept-deletions', what: 'apply the deletions that are held' },
    ],
  })
  sync
    .option('--all', 'read every event, not only those that are due')
    .option('--accept-deletions', 'apply the deletions that earlier runs held back')
    .option('--adopt', 'take over a mirror that was built from another account or address')
  options.eventOption(sync)
  mirrorSettings(sync)
  options.stalenessOption(sync)

  const backfill = declare('backfill', mirrorGroup, async () => (await import('./backfill.ts')).backfill, {
    summary: 'read everything again, trusting nothing that was read before',
    description:
      'Reads every event and all its responses and compares each with the mirror, row by row. It mends what ' +
      'was changed by hand; `sync` trusts what it read before and does not.',
    examples: [
      { line: 'headcount backfill', what: 'the whole account' },
      { line: 'headcount backfill --event gala-2026', what: 'only this event' },
    ],
  })
  options.eventOption(backfill)
  mirrorSettings(backfill)

  const worker = declare('worker', mirrorGroup, async () => (await import('./worker.ts')).worker, {
    summary: 'sync on a schedule until it is stopped',
    description:
      'Runs `sync` now and then on a schedule, never two at a time. A failed run is logged and the next one tries ' +
      'again; only a refused key or a wrong setting ends the worker. It needs a database that was chosen. With ' +
      '--health-port it answers GET /healthz on 127.0.0.1.',
    examples: [
      { line: 'headcount worker', what: 'every quarter of an hour' },
      { line: 'headcount worker --schedule "0 6-22 * * *" --timezone Europe/Berlin', what: 'by day' },
    ],
  })
  options.scheduleOptions(worker)
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
  options.databaseOption(command, databaseFallback)
  options.runOptions(command)
}

const formatHelp = 'table, json, ndjson or csv; default: table on a terminal, else csv (whole and exact)'
const timeoutHelp = 'end the statement after this time; without effect on pglite:'

function declareLook(declare: Declare): void {
  const query = declare('query', lookGroup, async () => (await import('./query.ts')).query, {
    summary: 'ask the mirror a question in SQL',
    description:
      'Sends one statement in a read-only transaction that is always rolled back. Tables are found by their ' +
      'plain names (events, responses, payments, slots, response_details, freshness …); times are UTC.',
    examples: [
      { line: 'headcount query "select * from responses limit 5"', what: 'a table on a terminal' },
      { line: 'headcount query "select * from payments" --format csv > payments.csv', what: 'a file' },
      { line: 'headcount query "table events" --json', what: 'for a program' },
      { line: 'echo "select now()" | headcount query -', what: 'the statement from stdin' },
    ],
  })
  query
    .argument('<sql>', 'one statement, or - for stdin')
    .addOption(options.checked('--format <format>', formatHelp, oneOf(['table', 'json', 'ndjson', 'csv'])))
    .option('--json', 'the same as --format json')
    .option(
      '--safe-csv',
      "in CSV, put a ' before text that a spreadsheet would run as a formula (= + - @ tab CR)",
    )
    .addOption(options.checked('--timeout <time>', timeoutHelp, duration('1ms', '1h'), '30s'))
  options.databaseOption(query)

  const status = declare('status', lookGroup, async () => (await import('./status.ts')).status, {
    summary: 'how fresh and how whole the mirror is',
    description:
      'Shows for each account the last good run, the events due, the rows, what was rejected, what is held and why; ' +
      'or for one event when it was read, when it will be, and why.',
    examples: [
      { line: 'headcount status', what: 'a look' },
      { line: 'headcount status --max-age 1h', what: 'for monitoring: exit 6 when it is older' },
      { line: 'headcount status --event gala-2026', what: 'how this event stands, and when it is read' },
    ],
  })
  status.addOption(
    options
      .checked(
        '--max-age <time>',
        'exit 6 when an account has no good run younger than this',
        duration('1s', '365d'),
      )
      .conflicts('event'),
  )
  status.option('--event <id>', 'only this event: last and next read, held, rejected, failing')
  options.jsonOption(status, 'the same')
  options.databaseOption(status)

  const runs = declare('runs', lookGroup, async () => (await import('./runs.ts')).runs, {
    summary: 'the last runs',
    description: 'Lists the last runs, the newest first, with what they changed.',
    examples: [{ line: 'headcount runs --limit 5', what: 'the last five' }],
  })
  listOptions(runs, '20')

  const rejects = declare('rejects', lookGroup, async () => (await import('./rejects.ts')).rejects, {
    summary: 'items of the service that cannot be stored',
    description:
      'Lists what the service answers now that cannot be a row, with the reason, the place and the beginning ' +
      'of the item. They are stored as soon as the service mends them.',
    examples: [{ line: 'headcount rejects --json', what: 'with the items whole (up to 64 KiB)' }],
  })
  listOptions(rejects, '100')
}

function listOptions(command: Declaration, limit: string): void {
  command.addOption(
    options.checked('--limit <n>', 'at most so many', integer({ min: 1, max: 100_000 }), limit),
  )
  options.jsonOption(command, 'the same')
  options.accountOption(command, 'only this account')
  options.databaseOption(command)
}

function declareCare(declare: Declare): void {
  const doctor = declare('doctor', careGroup, async () => (await import('./doctor.ts')).doctor, {
    summary: 'check that everything is ready, and say what to do',
    description:
      'Checks the settings, the way to the service, the key, one list, the database, its schema, the clocks ' +
      'and the free space, one line each. Writes nothing. The exit code is that of the first failing line.',
    examples: [{ line: 'headcount doctor', what: 'before the first run, and when something is wrong' }],
  })
  options.jsonOption(doctor, 'the same')
  options.serviceOptions(doctor)
  options.databaseOption(doctor)

  const migrate = declare('migrate', careGroup, async () => (await import('./migrate.ts')).migrate, {
    summary: 'bring the schema of the database up to date',
    description:
      'Applies the migrations that are pending, each in its own transaction. `sync` does this by itself.',
    examples: [{ line: 'headcount migrate', what: 'as the owner of the database, after an upgrade' }],
  })
  options.jsonOption(migrate, 'what was applied')
  options.quietOption(migrate, 'nothing is written when all goes well')
  options.databaseOption(migrate)

  declare('demo', careGroup, async () => (await import('./demo.ts')).demo, {
    summary: 'a walk through with an invented account, on this machine alone',
    description:
      'Serves an invented account on this machine, mirrors it into the folder ./headcount-demo, lets it change, ' +
      'mirrors it again and asks three questions. It reads no setting and touches no other mirror.',
    examples: [{ line: 'headcount demo', what: 'takes some ten seconds' }],
  })
}

function declareHelp(program: Declaration): void {
  program
    .command('help')
    .helpGroup(careGroup)
    .summary('help on one command')
    .argument('[command]')
    .action((name: string | undefined) => {
      if (name === undefined) program.help()
      const command = program.commands.find((candidate) => candidate.name() === name)
      if (command === undefined) throw unknownCommand(program, name)
      command.help()
    })
}
