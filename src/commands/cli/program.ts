/** The command line as it is declared: names, flags, help. What a command does is loaded when it is called. */
import { Command as Declaration } from 'commander'
import type { Command } from './context.ts'
import type { CommandGroup, Example } from './command-spec.ts'
import { UsageError } from '../../common/errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { exampleSection, fullName, helpStyle, ownName, section, settingsHelp, settingsNote } from './help.ts'
import { database, repeated } from './options.ts'
import { answerCommands } from './declarations/answer-commands.ts'
import { inspectCommands } from './declarations/inspect-commands.ts'
import { maintenanceCommands } from './declarations/maintenance-commands.ts'
import { serveCommands } from './declarations/serve-commands.ts'
import { syncCommands } from './declarations/sync-commands.ts'
import type { Output, Terminal } from '../terminal/terminal.ts'
import { unknownCommand } from './usage-errors.ts'
import { loadEnvFile } from '../../config/env-file.ts'
import { version } from '../../common/version.ts'

/** Runs the command that was called. */
export type Execute = <F>(command: Command<F>, flags: F, operands: readonly string[]) => Promise<void>

/** @param print takes what commander prints: help and the version */
export function createProgram(
  { out }: Pick<Terminal, 'out'>,
  print: (text: string) => void,
  execute: Execute,
): Declaration {
  const program = new Declaration('headcount')
    .description('Keeps a Postgres mirror of your event account, so that you can ask questions in SQL.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .addOption(repeated('--env-file <file>', 'read settings from a file of NAME=value lines'))
    // Before the name of a command too, as hints have it; shown where a command takes it.
    .addOption(database().hideHelp())
    .on('option:env-file', loadEnvFile)
    .helpCommand(false)
    .exitOverride()
    .configureHelp(helpStyle(out))
    .configureOutput({
      writeOut: print,
      // Failures are written in one place, by the caller.
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHasColors: () => true,
    })
    .addHelpText('after', () => `${section(out, 'Settings:', settingsHelp)}\n${settingsNote}`)
    .addHelpText('after', () => exampleSection(out, startExamples))
    .addHelpText('after', () => section(out, 'Exit codes:', exitCodes))
    .addHelpText('after', '\n<command> --help explains a command; --version prints the version.')

  for (const group of [syncCommands, answerCommands, inspectCommands, serveCommands, maintenanceCommands]) {
    declareGroup(program, group, { out, execute })
  }
  declareHelp(program)
  return program
}

function declareGroup(
  parent: Declaration,
  { heading, commands }: CommandGroup,
  to: { readonly out: Output; readonly execute: Execute },
): void {
  // Flags behind the name of a command of its own are that one's; those before it are for both.
  parent.enablePositionalOptions(parent.parent !== null)
  for (const { name, load, summary, description, examples, args = [], options = [], group } of commands) {
    const command = parent
      .command(name)
      .helpCommand(false)
      .helpGroup(heading)
      .summary(summary)
      .description(description)
      .addHelpText('after', () => exampleSection(to.out, examples))
      .allowExcessArguments(false)
      .action(async function (this: Declaration) {
        refuseFlagsBefore(this)
        await to.execute(await load(), this.optsWithGlobals<never>(), this.args)
      })
    for (const arg of args) command.argument(...arg)
    for (const option of options) command.addOption(option)
    if (group !== undefined) declareGroup(command, group, to)
  }
}

/** A flag before the name of a command (`rejects --limit 3 accept`) must be one of the command too; `--env-file` goes with each. */
function refuseFlagsBefore(command: Declaration): void {
  const own = [...command.options.map((option) => option.long), '--env-file']
  const given = aboveOf(command)
    .flatMap((above) =>
      above.options.filter((option) => above.getOptionValueSource(option.attributeName()) === 'cli'),
    )
    .find((option) => !own.includes(option.long))
  if (given === undefined) return
  throw new UsageError(
    `${ownName(command).join(' ')} has no flag ${given.long}; see ${fullName(command)} --help`,
  )
}

function aboveOf({ parent }: Declaration): readonly Declaration[] {
  return parent === null ? [] : [parent, ...aboveOf(parent)]
}

const startExamples: readonly Example[] = [
  ['doctor', 'is everything ready?'],
  ['sync', 'bring the mirror up to date'],
  ['query "select kind, count(*) from responses group by kind"', 'ask'],
]

function declareHelp(program: Declaration): void {
  program
    .command('help')
    .helpGroup(maintenanceCommands.heading)
    .summary('help on one command')
    .argument('[command...]')
    .action((names: readonly string[]) => {
      let command = program
      for (const name of names) {
        const next = command.commands.find((candidate) => candidate.name() === name)
        if (next === undefined) throw unknownCommand(command, name)
        command = next
      }
      command.help()
    })
}
