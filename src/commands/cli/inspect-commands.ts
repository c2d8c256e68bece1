/** The commands that look at the mirror. */
import type { Command as Declaration } from 'commander'
import { duration, integer, oneOf } from '../../common/parse-values.ts'
import * as options from './arguments/options.ts'
import type { Declare } from './declare.ts'

const group = 'Look at it:'

const formatHelp = 'table, json, ndjson or csv; default: table on a terminal, else csv (whole and exact)'
const timeoutHelp =
  'end the statement after this time (4s at most where serve or worker has the PGlite folder open)'

export function declareInspectCommands(declare: Declare): void {
  const query = declare('query', group, async () => (await import('../inspect/query.ts')).query, {
    summary: 'ask the mirror a question in SQL',
    description:
      'Takes one select, with, values or table, explain of one, and show; in a read-only transaction that is always ' +
      'rolled back. What writes is refused. Tables are found by their ' +
      'plain names (events, responses, payments, slots, response_details, list_status …); times are UTC.',
    examples: [
      { line: 'query "select * from responses limit 5"', what: 'a table on a terminal' },
      { line: 'query "select * from payments" --format csv > payments.csv', what: 'a file' },
      { line: 'query "table events" --json', what: 'for a program' },
      { line: 'query - < question.sql', what: 'the statement from stdin' },
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
  options.accountOption(query, 'what views and functions show; tables hold every account')
  options.databaseOption(query)

  const status = declare('status', group, async () => (await import('../inspect/status.ts')).status, {
    summary: 'how fresh and how whole the mirror is',
    description:
      'Shows for each account the last good run, the events due, the rows, what was rejected, what is held and why; ' +
      'or for one event when it was read, when it will be, and why.',
    examples: [
      { line: 'status', what: 'a look' },
      {
        line: 'status --max-age 1h',
        what: 'for monitoring: exit 6 when it is older, 8 when deletions wait for you',
      },
      { line: 'status --event gala-2026', what: 'how this event stands, and when it is read' },
    ],
  })
  status.addOption(
    options
      .checked(
        '--max-age <time>',
        'exit 6 when an account has no good run younger than this, 8 when deletions are held too long',
        duration('1s', '365d'),
      )
      .conflicts('event'),
  )
  status.option('--event <id>', 'only this event: last and next read, held, rejected, failing')
  options.jsonOption(status, 'the same')
  options.holdForOption(status)
  options.accountOption(status, 'only this account')
  options.databaseOption(status)

  const runs = declare('runs', group, async () => (await import('../inspect/runs.ts')).runs, {
    summary: 'the last runs',
    description: 'Lists the last runs, the newest first, with what they changed.',
    examples: [{ line: 'runs --limit 5', what: 'the last five' }],
  })
  listOptions(runs, '20')

  declareRejects(declare)
  declareObservations(declare)
}

function declareRejects(declare: Declare): void {
  const rejects = declare('rejects', group, async () => (await import('../inspect/rejects.ts')).rejects, {
    summary: 'items of the service that cannot be stored',
    description:
      'Lists what the service answers now that cannot be a row, with the reason, the place, the beginning of ' +
      'the item and whether it was accepted. They are stored as soon as the service mends them.',
    examples: [
      { line: 'rejects', what: 'what there is' },
      { line: 'rejects --json', what: 'with the items whole (up to 64 KiB)' },
      { line: 'rejects accept 3f9a01c2', what: 'this one is no cause for exit 8 any more' },
    ],
  })
  listOptions(rejects, '100')

  const accept = declare(
    'accept',
    'Decide:',
    async () => (await import('../inspect/rejects-accept.ts')).rejectsAccept,
    {
      summary: 'live with an item: no exit 8 for it until it changes',
      description:
        'Accepts items by their SHA-256, or by its first eight digits or more when they mean one item. An accepted ' +
        'item is listed and not stored, as before, but a run that met no other trouble ends with 0. When the ' +
        'item changes it is to be decided anew.',
      examples: [
        { line: 'rejects accept 3f9a01c2', what: 'in every list that has this very item' },
        { line: 'rejects accept 3f9a01c2 --event gala-2026', what: 'only there' },
        { line: 'rejects accept 3f9a01c2 --revoke', what: 'take it back' },
      ],
    },
    rejects,
  )
  accept
    .argument('<sha256...>', 'as rejects shows it; eight digits or more')
    .option('--event <id>', 'only in the list of this event')
    .option('--revoke', 'take back what was accepted')
  options.jsonOption(accept, 'what was accepted')
  options.accountOption(accept, 'only of this account')
  options.databaseOption(accept)
}

function declareObservations(declare: Declare): void {
  const observations = declare(
    'observations',
    group,
    async () => (await import('../inspect/observations.ts')).observations,
    {
      summary: 'what the service does where its specification is silent',
      description:
        'Goes through what the specification leaves open (paging, errors, missing fields, values, shapes, limits, ids, ' +
        'order, headers, forms of time) and shows what the traffic of each account has shown, and what headcount does.',
      examples: [{ line: 'observations --json', what: 'for a program' }],
    },
  )
  options.accountsOptions(observations)
}

function listOptions(command: Declaration, limit: string): void {
  command.addOption(
    options.checked('--limit <n>', 'at most so many', integer({ min: 1, max: 100_000 }), limit),
  )
  options.accountsOptions(command)
}
