import { duration, integer, timeZone } from '../../../common/parse-values.ts'
import { exportFormats } from '../../../outputs/export/formats/format.ts'
import type { CommandGroup } from '../command-spec.ts'
import * as options from '../options.ts'

export const inspectCommands: CommandGroup = {
  heading: 'Inspect the mirror:',
  commands: [
    {
      name: 'query',
      load: async () => (await import('../../inspect/query.ts')).query,
      summary: 'run one SQL query on the mirror',
      description:
        'Runs one statement: select, with, values, table, show, or explain of a query. It runs in a read-only ' +
        'transaction that is rolled back; a statement that writes is refused. Tables need no schema in front ' +
        '(events, responses, payments, slots, response_details, list_status …); the command tables lists them. Times are UTC.',
      examples: [
        ['query "select * from responses limit 5"', 'a table on a terminal'],
        ['query "select * from payments" --format csv > payments.csv', 'a file'],
        ['query "table events" --json', 'for a program'],
        ['query "table response_details" --excel --output guests.csv', 'for a spreadsheet'],
        ['query - < question.sql', 'the statement from stdin'],
      ],
      args: [['<sql>', 'one statement, or - for stdin']],
      options: [
        options.choice(
          '--format <format>',
          'table (NULL is ∅), json, ndjson or csv; default: by the name of --output, else table on a terminal, else csv',
          ['table', 'json', 'ndjson', 'csv'],
        ),
        options.flag('--json', 'the same as --format json'),
        options.flag(
          '--json-numbers',
          'in JSON, write bigint and numeric as numbers, not strings, where a double represents them exactly',
        ),
        options.flag('--no-header', 'without the names of the columns (table and csv)'),
        options.checked('--limit <n>', 'at most this many rows', integer({ min: 1, max: 1_000_000_000 })),
        options.flag(
          '--output <file>',
          'write to this file, for its owner alone (mode 0600), - for stdout; if the query fails, it stays unchanged',
        ),
        options.checked('--timezone <zone>', 'the time zone of days and times; default UTC', timeZone),
        options.flag(
          '--excel',
          'CSV that a spreadsheet opens as it should: byte order mark, separator and decimal comma of your language (LANG), times of --timezone or of this machine without a zone, no formulas. Text like 00123 becomes a number there: export --format xlsx keeps it',
        ),
        options.flag(
          '--safe-csv',
          "in CSV, put a ' before text that a spreadsheet would run as a formula (it begins with = + - @ tab or CR)",
        ),
        options.checked(
          '--timeout <time>',
          'cancel the statement after this time (at most 4s while serve or worker has the PGlite folder open)',
          duration('1ms', '1h'),
          '30s',
        ),
        options.account('the account that views and functions show; tables hold all accounts'),
        options.database(),
      ],
    },
    {
      name: 'report',
      load: async () => (await import('../../inspect/report.ts')).reportCommand,
      summary: 'write a page for a meeting: events, pace, money, changes',
      description:
        'Writes one HTML file that needs nothing else: it opens from disk, on a desk and on a telephone, light and dark, and prints on A4. ' +
        'It tells how fresh the mirror is, what is coming up and which slots need people, how replies come in beside earlier events of the ' +
        'same kind, money by month, up to 1,000 events, what changed this week, and what the data cannot tell. With --event it is the page ' +
        'of that event: who comes, pace, slots, payments, changes. A file with names can be read by its owner alone. ' +
        'links create --report shows the same page to others.',
      examples: [
        ['report --out report.html', 'of the account'],
        ['report --event gala-2026 --out gala.html', 'of one event, with the guest list'],
        ['report --without-personal --out - | gzip > report.html.gz', 'to stdout, without names'],
      ],
      options: [
        options.flag('--out <file>', 'write to this file; - for stdout'),
        options.flag('--event <id>', 'the page of this event'),
        options.flag('--without-personal', 'without names and addresses'),
        options.quiet('no line about the file'),
        options.json('print the figures of the page'),
        options.account('the account: default, or the only one'),
        options.database(),
      ],
    },
    {
      name: 'export',
      load: async () => (await import('../../inspect/export.ts')).exportCommand,
      summary: 'write tables and views to files: CSV, NDJSON, Excel, Parquet',
      description:
        'Writes each table or view to a file of its own, all of one moment, and manifest.json beside them (runs, rows, bytes, SHA-256). ' +
        'Without --view: the live tables and the summaries, no history. Files are renamed into place when all are complete, so the folder ' +
        'holds either the previous export or the new one. Files with names can be read by their owner alone. The folder must be new, empty, or hold an export. docs/spreadsheets.md says what is in which file.',
      examples: [
        ['export --out ./files', 'CSV of the live tables and the summaries'],
        ['export --out ~/Dropbox/events --format xlsx', 'workbooks in a synced folder'],
        ['export --out ./gala --event gala-2026 --without-personal', 'one event, to hand on'],
        ['export --out - --view event_summary | less', 'one view, to stdout'],
      ],
      options: [
        options.flag('--out <folder>', 'write to this folder; - for stdout').makeOptionMandatory(),
        options
          .choice('--format <name>', 'csv (default), ndjson, xlsx or parquet', exportFormats)
          .default('csv'),
        options.flag('--view <name...>', 'only these tables and views; tables lists them'),
        options.flag('--event <id>', 'only rows of this event'),
        options.flag('--without-personal', 'without names, addresses and messages'),
        options.flag('--safe-csv', "in CSV, put a ' before text that a spreadsheet would run as a formula"),
        options.json('print the manifest'),
        options.quiet(),
        options.account('only this account'),
        options.database(),
      ],
    },
    {
      name: 'tables',
      load: async () => (await import('../../inspect/tables.ts')).tables,
      summary: 'describe the tables, views and functions that query can use',
      description:
        'Lists the tables, views and functions of the mirror with what they hold. With a name: its columns, their types ' +
        'and what they mean.',
      examples: [
        ['tables', 'all of them'],
        ['tables responses', 'the columns of one'],
        ['tables --json', 'all columns, for a program'],
      ],
      args: [['[name]', 'a table, a view or a function']],
      options: [options.json('print the same'), options.database()],
    },
    {
      name: 'status',
      load: async () => (await import('../../inspect/status.ts')).status,
      summary: 'show how fresh and how complete the mirror is',
      description:
        'For each account: the last good run, the events that are due, the rows, the rejects, and the held ' +
        'deletions with their reasons; and values of replies that have no meaning yet, where the responses are read within a ' +
        'second, and never with --max-age (rsvp_without_meaning is null then). Of a mirror that was moved: ' +
        'where it went and when (moved_to, moved_at). For one event: when its list was last read, when it will be read next, and why.',
      examples: [
        ['status', 'all accounts'],
        ['status --max-age 1h', 'for monitoring: exit 6 when older, 8 when deletions need a decision'],
        ['status --event gala-2026', 'the state of one event'],
        [
          'status --format prometheus > headcount.prom.$$ && mv headcount.prom.$$ headcount.prom',
          "from cron, into the folder of node exporter's textfile collector",
        ],
      ],
      options: [
        options
          .checked(
            '--max-age <time>',
            'exit 6 when an account has no good run within this time, 8 when deletions wait for a decision; where there is no mirror the exit code is 5, as without it',
            duration('1s', '365d'),
          )
          .conflicts('event'),
        options.flag('--event <id>', 'only this event: last and next read, held, rejected, failed'),
        options
          .choice(
            '--format <format>',
            "text; prometheus: metrics in Prometheus' text form; or ndjson: one line of JSON for each account",
            ['text', 'prometheus', 'ndjson'],
          )
          .conflicts(['json', 'event']),
        options.json('print the same'),
        ...options.of('holdFor'),
        options.account('only this account'),
        options.database(),
      ],
    },
    {
      name: 'runs',
      load: async () => (await import('../../inspect/runs.ts')).runs,
      summary: 'list the latest runs, or show one in full',
      description:
        'Lists the latest runs, newest first, with what each changed and why it was no success. With the number of a run: ' +
        'its whole report, with every warning and error.',
      examples: [
        ['runs --limit 5', 'the last five'],
        ['runs 12', 'one run whole'],
      ],
      args: [['[run]', 'the number of one run']],
      options: [options.limit('20'), ...options.ofAccounts()],
    },
    {
      name: 'rejects',
      load: async () => (await import('../../inspect/rejects.ts')).rejects,
      summary: 'list items of the service that cannot be stored',
      description:
        'Lists the items in the current answers of the service that cannot be stored as rows: the reason, the path in the list, ' +
        'the beginning of the item, and whether it was accepted. An item is stored as soon as the service corrects it.',
      examples: [
        ['rejects', 'all of them'],
        ['rejects --json', 'with complete items (up to 64 KiB each)'],
        ['rejects accept 3f9a01c2', 'this item no longer causes exit 8'],
      ],
      options: [options.limit('100'), ...options.ofAccounts()],
      group: {
        heading: 'Accept rejects:',
        commands: [
          {
            name: 'accept',
            load: async () => (await import('../../inspect/rejects.ts')).rejectsAccept,
            summary: 'accept an item: it causes no exit 8 until it changes',
            description:
              'Accepts items by their SHA-256, or by its first eight or more digits when only one item has them. An ' +
              'accepted item is still listed and not stored, but a run with no other problem ends with 0. When the ' +
              'item changes, it must be accepted again.',
            examples: [
              ['rejects accept 3f9a01c2', 'in every list that contains this item'],
              ['rejects accept 3f9a01c2 --event gala-2026', 'only in the list of this event'],
              ['rejects accept 3f9a01c2 --revoke', 'undo it'],
            ],
            args: [['<sha256...>', 'as shown by rejects; at least eight digits']],
            options: [
              options.flag('--event <id>', 'only in the list of this event'),
              options.flag('--revoke', 'undo an earlier accept'),
              ...options.ofChange('print what was accepted', 'only in this account'),
            ],
          },
        ],
      },
    },
    {
      name: 'observations',
      load: async () => (await import('../../inspect/observations.ts')).observations,
      summary: 'show how the service behaves where its specification is silent',
      description:
        'For each point that the specification leaves open (paging, errors, missing fields, values, types, limits, ' +
        'ids, order, headers, time formats): what was observed in the traffic of each account, and what headcount does.',
      examples: [['observations --json', 'for a program']],
      options: options.ofAccounts(),
    },
  ],
}
