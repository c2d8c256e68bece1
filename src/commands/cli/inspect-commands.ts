import { duration, integer, oneOf } from '../../common/parse-values.ts'
import type { CommandGroup } from './command-spec.ts'
import * as options from './options.ts'

const limit = (fallback: string) =>
  options.checked('--limit <n>', 'at most so many', integer({ min: 1, max: 100_000 }), fallback)

export const inspectCommands: CommandGroup = {
  heading: 'Look at it:',
  commands: [
    {
      name: 'query',
      load: async () => (await import('../inspect/query.ts')).query,
      summary: 'ask the mirror a question in SQL',
      description:
        'Takes one select, with, values or table, explain of one, and show; in a read-only transaction that is always ' +
        'rolled back. What writes is refused. Tables are found by their ' +
        'plain names (events, responses, payments, slots, response_details, list_status …); times are UTC.',
      examples: [
        ['query "select * from responses limit 5"', 'a table on a terminal'],
        ['query "select * from payments" --format csv > payments.csv', 'a file'],
        ['query "table events" --json', 'for a program'],
        ['query - < question.sql', 'the statement from stdin'],
      ],
      args: [['<sql>', 'one statement, or - for stdin']],
      options: [
        options.checked(
          '--format <format>',
          'table, json, ndjson or csv; default: table on a terminal, else csv (whole and exact)',
          oneOf(['table', 'json', 'ndjson', 'csv']),
        ),
        options.flag('--json', 'the same as --format json'),
        options.flag(
          '--safe-csv',
          "in CSV, put a ' before text that a spreadsheet would run as a formula (= + - @ tab CR)",
        ),
        options.checked(
          '--timeout <time>',
          'end the statement after this time (4s at most where serve or worker has the PGlite folder open)',
          duration('1ms', '1h'),
          '30s',
        ),
        options.account('what views and functions show; tables hold every account'),
        options.database(),
      ],
    },
    {
      name: 'status',
      load: async () => (await import('../inspect/status.ts')).status,
      summary: 'how fresh and how whole the mirror is',
      description:
        'Shows for each account the last good run, the events due, the rows, what was rejected, what is held and why; ' +
        'or for one event when it was read, when it will be, and why.',
      examples: [
        ['status', 'a look'],
        ['status --max-age 1h', 'for monitoring: exit 6 when it is older, 8 when deletions wait for you'],
        ['status --event gala-2026', 'how this event stands, and when it is read'],
      ],
      options: [
        options
          .checked(
            '--max-age <time>',
            'exit 6 when an account has no good run younger than this, 8 when deletions are held too long',
            duration('1s', '365d'),
          )
          .conflicts('event'),
        options.flag('--event <id>', 'only this event: last and next read, held, rejected, failing'),
        options.json('the same'),
        options.holdFor(),
        options.account('only this account'),
        options.database(),
      ],
    },
    {
      name: 'runs',
      load: async () => (await import('../inspect/runs.ts')).runs,
      summary: 'the last runs',
      description: 'Lists the last runs, the newest first, with what they changed.',
      examples: [['runs --limit 5', 'the last five']],
      options: [limit('20'), ...options.ofAccounts()],
    },
    {
      name: 'rejects',
      load: async () => (await import('../inspect/rejects.ts')).rejects,
      summary: 'items of the service that cannot be stored',
      description:
        'Lists what the service answers now that cannot be a row, with the reason, the place, the beginning of ' +
        'the item and whether it was accepted. They are stored as soon as the service mends them.',
      examples: [
        ['rejects', 'what there is'],
        ['rejects --json', 'with the items whole (up to 64 KiB)'],
        ['rejects accept 3f9a01c2', 'this one is no cause for exit 8 any more'],
      ],
      options: [limit('100'), ...options.ofAccounts()],
      group: {
        heading: 'Decide:',
        commands: [
          {
            name: 'accept',
            load: async () => (await import('../inspect/rejects.ts')).rejectsAccept,
            summary: 'live with an item: no exit 8 for it until it changes',
            description:
              'Accepts items by their SHA-256, or by its first eight digits or more when they mean one item. An accepted ' +
              'item is listed and not stored, as before, but a run that met no other trouble ends with 0. When the ' +
              'item changes it is to be decided anew.',
            examples: [
              ['rejects accept 3f9a01c2', 'in every list that has this very item'],
              ['rejects accept 3f9a01c2 --event gala-2026', 'only there'],
              ['rejects accept 3f9a01c2 --revoke', 'take it back'],
            ],
            args: [['<sha256...>', 'as rejects shows it; eight digits or more']],
            options: [
              options.flag('--event <id>', 'only in the list of this event'),
              options.flag('--revoke', 'take back what was accepted'),
              options.json('what was accepted'),
              options.account('only of this account'),
              options.database(),
            ],
          },
        ],
      },
    },
    {
      name: 'observations',
      load: async () => (await import('../inspect/observations.ts')).observations,
      summary: 'what the service does where its specification is silent',
      description:
        'Goes through what the specification leaves open (paging, errors, missing fields, values, shapes, limits, ids, ' +
        'order, headers, forms of time) and shows what the traffic of each account has shown, and what headcount does.',
      examples: [['observations --json', 'for a program']],
      options: options.ofAccounts(),
    },
  ],
}
