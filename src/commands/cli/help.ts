import { Help, type Command } from 'commander'
import { commandName } from '../../common/command-name.ts'
import type { Example } from './command-spec.ts'
import type { Output } from '../terminal/terminal.ts'

/** How help looks: bold headings, command and flag names in colour where the terminal has it. */
export function helpStyle(out: Output): Partial<Help> {
  const ordinary = new Help()
  return {
    // The first page names the commands first; its two flags stand at the end.
    visibleOptions: (command) => (command.parent === null ? [] : ordinary.visibleOptions(command)),
    styleTitle: (text) => out.style('bold', text),
    styleCommandText: (text) => out.style('cyan', text),
    styleSubcommandText: (text) => out.style('cyan', text),
    styleOptionTerm: (text) => out.style('cyan', text),
    styleArgumentTerm: (text) => out.style('cyan', text),
    subcommandTerm: (command: Command) => command.name(),
    commandUsage: (command: Command) =>
      `${fullName(command)} ${command.parent === null ? '<command> [options]' : command.usage()}`,
  }
}

/** As it is typed: `headcount`, `headcount rejects`, `headcount rejects accept`. */
export function fullName(command: Command): string {
  return [commandName(), ...ownName(command)].join(' ')
}

/** Without the name of the program: nothing, `rejects`, `rejects accept`. */
export function ownName(command: Command): string[] {
  return command.parent === null ? [] : [...ownName(command.parent), command.name()]
}

/** As wide as commander takes a page that is no terminal. */
const WIDTH = 80

/** A section of example calls, aligned; where they do not fit beside each other, the call stands below what it does. */
export function exampleSection(out: Output, examples: readonly Example[]): string {
  const name = commandName()
  const calls = examples.map(([line]) => `${name} ${line}`)
  const widest = Math.max(...calls.map((call) => call.length))
  const isNarrow = examples.some(([, what]) => widest + what.length + 6 > (out.width ?? WIDTH))
  const rows = examples.map(([, what], at) => {
    const call = calls[at] ?? ''
    const remark = out.style('dim', `# ${what}`)
    if (isNarrow) return `  ${remark}\n  ${out.style('cyan', call)}`
    return `  ${out.style('cyan', call.padEnd(widest))}  ${remark}`
  })
  return ['', out.style('bold', 'Examples:'), ...rows].join('\n')
}

/** A section of terms, each with what it means behind it. */
export function section(out: Output, heading: string, terms: readonly Example[]): string {
  const help = new Help()
  help.helpWidth = out.width ?? WIDTH
  const widest = Math.max(...terms.map(([term]) => term.length))
  const rows = terms.map(([term, meaning]) => help.formatItem(term, widest, meaning, help))
  return ['', out.style('bold', heading), ...rows].join('\n')
}

export const settingsHelp: readonly Example[] = [
  ['HEADCOUNT_BASE_URL', 'address of the service, like https://events.example/api/v1'],
  ['HEADCOUNT_API_KEY', 'the key (never a flag), or HEADCOUNT_API_KEY_FILE: a file that holds it'],
  [
    'HEADCOUNT_PERSON_KEY_FILE',
    'a file with the key of the suppression list: needed once a person was erased',
  ],
  [
    'HEADCOUNT_ACCOUNTS_FILE',
    'a file that lists many accounts (docs/operate/many-accounts.md); without --account, all are meant',
  ],
  ['DATABASE_URL', 'postgres://… or pglite:<folder>, or DATABASE_URL_FILE; default pglite:./headcount-data'],
  ['PGPASSWORD, PGPASSFILE', 'the password, or the file with passwords (~/.pgpass), of a URL without one'],
  ['HEADCOUNT_SMTP_URL_FILE', 'a file with the mail server, like smtp://user:password@mail.example.org:587'],
  ['HEADCOUNT_DIGEST_TO_FILE', 'a file with who gets digests: mailto:…, or https:// addresses'],
  ['HEADCOUNT_NOTIFY_TO_FILE', 'a file with who hears when the mirror is no longer right'],
  ['HEADCOUNT_LOG_LEVEL', 'debug, info, warn or error; default info'],
  [
    'HEADCOUNT_LOG_FORMAT',
    'pretty or json; default pretty, but json for worker and serve without a terminal',
  ],
  ['HEADCOUNT_PAGER, PAGER', 'shows a result of query that does not fit the screen, like less; default none'],
  [
    'HTTPS_PROXY, HTTP_PROXY, NO_PROXY',
    'the HTTP proxy that leads to services, and hosts that it does not lead to',
  ],
  ['NO_COLOR', 'any value: no colour'],
  ['--env-file <file>', 'for any command: read settings from a file; variables already set take precedence'],
]

export const settingsNote = '  A flag wins over its variable. The help of a command names both.'
