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

/** A section of example calls, aligned. */
export function exampleSection(out: Output, examples: readonly Example[]): string {
  const width = Math.max(...examples.map(([line]) => line.length))
  const name = commandName()
  const rows = examples.map(
    ([line, what]) =>
      `  ${out.style('cyan', `${name} ${line.padEnd(width)}`)}  ${out.style('dim', `# ${what}`)}`,
  )
  return ['', out.style('bold', 'Examples:'), ...rows].join('\n')
}

export function section(out: Output, heading: string, lines: readonly string[]): string {
  return ['', out.style('bold', heading), ...lines.map((line) => `  ${line}`)].join('\n')
}

export const settingsHelp: readonly string[] = [
  'HEADCOUNT_BASE_URL        address of the service, like https://events.example/api/v1',
  'HEADCOUNT_API_KEY         the key (never a flag), or HEADCOUNT_API_KEY_FILE: a file that holds it',
  'DATABASE_URL              postgres://… or pglite:<folder>, or DATABASE_URL_FILE; pglite:./headcount-data',
  '                          when not set',
  'HEADCOUNT_LOG_LEVEL       debug, info, warn or error; info when not set',
  'HEADCOUNT_LOG_FORMAT      pretty or json; of worker and serve json where no terminal is, else pretty',
  'HEADCOUNT_PAGER, PAGER    what shows an answer of query that does not fit the screen, as less; none when not set',
  'NO_COLOR                  any value: no colour',
  'Every flag of a setting names its variable in its own help; a flag wins over the environment.',
]
