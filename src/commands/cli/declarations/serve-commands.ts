import { linkFormats } from '../../../common/schema/link-formats.ts'
import { duration, name } from '../../../common/parse-values.ts'
import { parseFutureInstant } from '../../../mirror/instants/parse-instant.ts'
import type { CommandGroup } from '../command-spec.ts'
import * as options from '../options.ts'

const loadKeys = () => import('../../serve/keys.ts')

/** Of what is made to let somebody read. */
const ofAccess = (noun: 'key' | 'link') => [
  options.checked(
    '--label <text>',
    `what the ${noun} is for, as shown by ${noun}s (at most 200 characters)`,
    name,
  ),
  options.checked(
    '--expires <time>',
    'when it expires: a date (midnight UTC), a time like 2030-01-01T12:00:00Z, or a time from now like 90d; default never',
    parseFutureInstant,
  ),
]

const keyCommands: CommandGroup = {
  heading: 'Keys:',
  commands: [
    {
      name: 'create',
      load: async () => (await loadKeys()).keysCreate,
      summary: 'create a key for one account and print it',
      description:
        'Prints the new key on stdout, and nothing else. It gives read access to one account: the one named by --account, ' +
        'otherwise default, otherwise the only account of the mirror. A key cannot be shown again: revoke a lost one ' +
        'and create another.',
      examples: [
        ['keys create > website.key', 'into a file'],
        ['keys create --label website --expires 90d', 'for ninety days'],
        ['keys create --account north --json', 'with its number, as JSON'],
      ],
      options: [
        ...ofAccess('key'),
        ...options.ofChange('print the key with its number', 'the account that the key gives access to'),
      ],
    },
    {
      name: 'list',
      load: async () => (await loadKeys()).keys,
      summary: 'the same as keys',
      description:
        'Lists the keys of the mirror: number, account, label, state (active, expired or revoked), and the day of ' +
        'last use (UTC).',
      examples: [['keys list --account north', 'of one account']],
      options: options.ofAccounts(),
    },
    {
      name: 'revoke',
      load: async () => (await loadKeys()).keysRevoke,
      summary: 'revoke a key for good',
      description: 'The key stops working at once. It stays in the list as revoked.',
      examples: [['keys revoke 3', 'the number is shown by keys']],
      args: [['<id>', 'the number of the key, as shown by keys']],
      options: options.ofChange('print what was revoked', 'only if the key belongs to this account'),
    },
  ],
}

const loadLinks = () => import('../../serve/links.ts')

const linkCommands: CommandGroup = {
  heading: 'Links:',
  commands: [
    {
      name: 'create',
      load: async () => (await loadLinks()).linksCreate,
      summary: 'create a link to one table, view or report and print its address',
      description:
        'Prints the address on stdout, and nothing else. Whoever has it sees the rows of one account, without a key, as long as serve runs: ' +
        'the account named by --account, otherwise default, otherwise the only one of the mirror. csv is for spreadsheets, html for people, ' +
        'ics for calendars (events, event_summary, slots, slot_summary, thin_slots), json for programs. --report shows the page of ' +
        '`report`, as of now. An address cannot be shown ' +
        'again: revoke a lost one and create another. docs/spreadsheets.md and docs/calendars-and-mail.md tell where to paste it.',
      examples: [
        ['links create --view event_summary --as csv', 'for Google Sheets or Excel'],
        [
          'links create --view slots --as ics --event gala-2026',
          'the rota of one event, with names, for a calendar',
        ],
        ['links create --view thin_slots --as html --without-personal --expires 90d', 'a page to hand on'],
        ['links create --report --expires 7d', 'the report page, for a meeting'],
      ],
      options: [
        options.flag('--view <name>', 'the table or view; tables lists them'),
        options.choice('--as <form>', 'csv, html, ics or json', linkFormats),
        options.flag('--report', 'in place of --view and --as: the page of `report`, without names'),
        options.flag('--with-personal', 'of --report: with names and addresses'),
        options.flag('--event <id>', 'only rows of this event; with --report its page'),
        options.flag('--without-personal', 'without names, addresses and messages'),
        ...ofAccess('link'),
        options.json('print the address with the number of the link'),
        options.account('the account whose rows the link shows'),
        ...options.of('publicUrl'),
        options.force(),
        options.database(),
      ],
    },
    {
      name: 'list',
      load: async () => (await loadLinks()).links,
      summary: 'the same as links',
      description:
        'Lists the links of the mirror: number, account, what each shows, label, state (active, expired or revoked), and the day of ' +
        'last use (UTC).',
      examples: [['links list --account north', 'of one account']],
      options: options.ofAccounts(),
    },
    {
      name: 'revoke',
      load: async () => (await loadLinks()).linksRevoke,
      summary: 'revoke a link for good',
      description:
        'The address shows nothing from then on: it answers 410. The link stays in the list as revoked. Copies that others have made are not affected.',
      examples: [['links revoke 3', 'the number is shown by links']],
      args: [['<id>', 'the number of the link, as shown by links']],
      options: options.ofChange('print what was revoked', 'only if the link belongs to this account'),
    },
  ],
}

export const serveCommands: CommandGroup = {
  heading: 'Serve it:',
  commands: [
    {
      name: 'serve',
      load: async () => (await import('../../serve/serve.ts')).serve,
      summary: 'serve the API of the service from the mirror until stopped',
      description:
        'Answers GET /api/v1/ping, /api/v1/events and /api/v1/events/:event_id/responses over HTTP. A request needs a ' +
        'key made by keys create; the key decides which account is answered. /docs describes the interface. With --sync ' +
        'the same process keeps the mirror up to date, as worker does; a pglite: folder can be served and synced at the ' +
        'same time only this way.',
      examples: [
        ['serve', 'on http://127.0.0.1:8080/api/v1'],
        ['serve --sync', 'and sync on a schedule, as worker does'],
        ['serve --port 0 --max-age 1h', 'on any free port; 503 when the mirror is older than 1h'],
      ],
      options: [
        options.flag('--sync', 'also sync on a schedule, as worker does'),
        options.checked(
          '--max-age <time>',
          'answer 503 when the last good run of an account is older, or deletions wait for a decision',
          duration('1s', '365d'),
        ),
        options.quiet('only the line with the address'),
        ...options.below('Settings:', [
          ...options.of('serveHost', 'servePort', 'accessLog'),
          ...options.health(),
          options.database(),
        ]),
        ...options.below('Settings of --sync:', [
          ...options.service(),
          options.account('name of the account to sync'),
          ...options.of('newAccount'),
          ...options.read(),
          ...options.of('holdFor', 'forgetAfter', 'maxStaleness', 'schedule', 'timezone'),
          ...options.digests(),
        ]),
      ],
    },
    {
      name: 'keys',
      load: async () => (await loadKeys()).keys,
      summary: 'list, create or revoke keys for serve',
      description:
        'Lists the keys of the mirror: what each is for, its state, and the day of its last use. The key itself is ' +
        'shown once, when it is created; the mirror stores only its hash.',
      examples: [
        ['keys create --label website', 'a new key, on stdout'],
        ['keys', 'list them'],
        ['keys revoke 3', 'stop a key from working'],
      ],
      options: options.ofAccounts(),
      group: keyCommands,
    },
    {
      name: 'links',
      load: async () => (await loadLinks()).links,
      summary: 'list, create or revoke links: views in spreadsheets and calendars',
      description:
        'Lists the links of the mirror: what each shows, its state, and the day of its last use. A link is an address under which ' +
        'serve shows one table or view without a key. The address is shown once, when it is created; the mirror stores only a hash.',
      examples: [
        ['links create --view event_summary --as csv', 'a new address, on stdout'],
        ['links', 'list them'],
        ['links revoke 3', 'stop a link from showing anything'],
      ],
      options: options.ofAccounts(),
      group: linkCommands,
    },
  ],
}
