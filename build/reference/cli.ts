/** docs/cli.md, made from the commands as they are declared. */
import type { Command, Option } from 'commander'
import { DOCTOR_REQUEST_TIMEOUT, settings, type Setting } from '../../src/config/settings.ts'
import { exitCodes, worstFirst } from '../../src/commands/exit-codes.ts'
import { declaredCommands } from './declared-commands.ts'

/** Settings that have no flag, or whose flag is declared by itself. */
const withoutFlag = [
  ['`HEADCOUNT_API_KEY`, `HEADCOUNT_API_KEY_FILE`', '', '', 'the key, or a file that holds it; never a flag'],
  [
    '`HEADCOUNT_PERSON_KEY`, `HEADCOUNT_PERSON_KEY_FILE`',
    '',
    '',
    'the key of the suppression list (`person erase`), or a file that holds it; 32 characters or more',
  ],
  [
    '`DATABASE_URL`, `DATABASE_URL_FILE`',
    '`--database`',
    '`pglite:./headcount-data`',
    '`postgres://…` or `pglite:<folder>`; `worker` has no default',
  ],
  [
    '`HEADCOUNT_SMTP_URL`, `HEADCOUNT_SMTP_URL_FILE`',
    '',
    '',
    'the mail server, or a file that holds it: `smtp://user:password@host:587` (STARTTLS is required, but for this machine) or `smtps://…:465`',
  ],
  [
    '`HEADCOUNT_DIGEST_TO`, `HEADCOUNT_DIGEST_TO_FILE`',
    '',
    '',
    'who gets digests, or a file that holds them, between blanks or one a line: `mailto:a@example.org,b@example.org`, or an `https://` address, which is a secret ([calendars-and-mail.md](calendars-and-mail.md#digests))',
  ],
  [
    '`HEADCOUNT_NOTIFY_TO`, `HEADCOUNT_NOTIFY_TO_FILE`',
    '',
    '',
    'who hears when the mirror is no longer right, and when it is again; in the same form',
  ],
  [
    '`HEADCOUNT_PAGER`, `PAGER`',
    '',
    '',
    'the program that shows a result of `query` that does not fit the screen, like `less`; empty or not set: none',
  ],
  [
    '`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`',
    '',
    '',
    'the HTTP proxy that leads to services and recipients, like `http://user:password@host:port`, and the hosts that it does not lead to ([upkeep.md](operate/upkeep.md#behind-an-http-proxy))',
  ],
  ['`NO_COLOR`', '', '', 'any value: no colour'],
] as const

/** Said of settings that no flag describes, or not whole. */
const more: Readonly<Record<string, string>> = {
  HEADCOUNT_ACCOUNT:
    'name of the account inside the mirror, `default` when not set; of commands that look at it: only this one',
  HEADCOUNT_ACCOUNTS_FILE:
    'a file that lists many accounts, in YAML or JSON: `sync`, `backfill`, `worker`, `status`, `doctor` and `verify` mean all of them, or one with `--account` ([many-accounts.md](operate/many-accounts.md))',
  HEADCOUNT_KEYS_DIR:
    'in its place a folder with the key of each account in a file of its own, named after the account',
  HEADCOUNT_LEAVE_OUT:
    'fields of responses that are never stored, between commas, like `responses.message,responses._extra` ([personal-data.md](personal-data.md))',
  HEADCOUNT_PSEUDONYMISE:
    '`name`, `email` or both: keyed hashes are stored instead; needs `HEADCOUNT_PERSON_KEY_FILE`',
  HEADCOUNT_MAIL_FROM: 'whom mail is from: `headcount@example.org` or `Headcount <headcount@example.org>`',
  HEADCOUNT_LOG_LEVEL: '`debug`, `info`, `warn` or `error`; `--quiet` is `warn`',
  HEADCOUNT_LOG_FORMAT: '`pretty` (prose) or `json`; of `worker` and `serve` `json` where no terminal is',
  HEADCOUNT_REQUEST_TIMEOUT: `deadline of one request; 1 s more for every 256 KiB received; the default of \`doctor\` is \`${DOCTOR_REQUEST_TIMEOUT}\``,
  HEADCOUNT_MAX_BODY:
    'largest list, all its pages together (of the event list at most 256 MB); one above 4 MB waits in a temporary file (`TMPDIR`)',
}

const intro = `# The command line

Made by \`npm run docs\` from the commands as they are declared; do not edit. \`headcount help <command>\` shows the same.
It is called as \`npx --no -- headcount\` in a checkout and where it is a dependency, as \`headcount\` where it is installed
globally, and as \`src/headcount.cjs\` from cron. [Troubleshooting](troubleshooting.md) has the exit codes.
`

export function cliReference(): string {
  const { groups } = declaredCommands()
  const parts = groups.flatMap(({ heading, commands }) => [`## ${heading}\n`, ...commands.map(commandPart)])
  return [intro, ...parts, settingsPart(groups.flatMap(({ commands }) => commands)), exitCodesPart()].join(
    '\n',
  )
}

function exitCodesPart(): string {
  return [
    '## Exit codes\n',
    table(
      ['code', ''],
      exitCodes.map(([codes, meaning]) => [codes.split(', ').map(code).join(', '), meaning]),
    ),
    `A command over many accounts ends with the worst of theirs, in this order, the worst first: ${worstFirst.map((one) => code(String(one))).join(', ')}.
First comes an interruption, then what only a person can mend, then what the next run may mend.
`,
  ].join('\n')
}

function commandPart(command: Command): string {
  const name = [command.parent?.parent ? command.parent.name() : '', command.name()].join(' ').trim()
  const options = command.options.filter((option) => !option.hidden)
  const rows = options.map(({ flags, description }) => [code(flags), text(description)])
  return [
    `### ${name}\n`,
    `    headcount ${name} ${command.usage()}\n`,
    `${command.description()}\n`,
    ...(rows.length === 0 ? [] : [table(['flag', ''], rows)]),
  ].join('\n')
}

function settingsPart(commands: readonly Command[]): string {
  const all: readonly Setting<unknown>[] = Object.values(settings)
  const rows = all.map((setting) => [
    code(setting.variable),
    setting.flag === undefined ? '' : code(setting.flag),
    (setting.fallback ?? '') === '' ? '' : code(setting.fallback ?? ''),
    settingText(setting, commands),
  ])
  return [
    '## Settings\n',
    `A flag wins over the environment. The key is never a flag: what is typed is seen by others and stays in the shell's
history. A variable that begins with \`HEADCOUNT_\` and is none of these is an error (but for those that Kubernetes makes for
its services). \`…_FILE\` names a file that holds the value; after a change of the one for
\`DATABASE_URL\` restart \`worker\` and \`serve\`. An empty variable is as one that is not set; keys, addresses and
files (\`DATABASE_URL\`, \`HEADCOUNT_BASE_URL\`, \`HEADCOUNT_ACCOUNTS_FILE\` and their kind) are refused when they are empty.
`,
    table(['environment', 'flag', 'default', ''], [...withoutFlag, ...rows]),
  ].join('\n')
}

/** What a setting is for, in Markdown. */
export function settingText(
  { variable, flag }: Setting<unknown>,
  commands: readonly Command[] = declaredCommands().groups.flatMap((group) => group.commands),
): string {
  const options = commands.flatMap((command) => command.options)
  return more[variable] ?? describe(options.find(({ long }) => long === flag))
}

/** What a flag is for, without the name of its variable. */
function describe(option: Option | undefined): string {
  return text((option?.description ?? '').replace(/ \((?:HEADCOUNT|DATABASE)_[^)]*\)$/, ''))
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n')
}

function code(words: string): string {
  return `\`${words}\``
}

function text(words: string): string {
  return words.replaceAll('|', '\\|').replaceAll('<', '\\<')
}
