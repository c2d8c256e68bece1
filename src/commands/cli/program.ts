/** The command line as it is declared: names, flags, help. What a command does is loaded when it is called. */
import { Command as Declaration } from 'commander'
import type { Command } from './context.ts'
import { examples, exitCodes, helpStyle, section, settingsHelp, type Example } from './help.ts'
import { maintenanceGroup, declareMaintenanceCommands } from './maintenance-commands.ts'
import { declareSyncCommands } from './sync-commands.ts'
import type { Texts } from './declare.ts'
import { declareInspectCommands } from './inspect-commands.ts'
import { declareServeCommands } from './serve-commands.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { unknownCommand } from './usage-errors.ts'
import { version } from '../../common/version.ts'

/** Runs the command that was called. */
export type Execute = <F>(command: Command<F>, flags: F, operands: readonly string[]) => Promise<void>

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
    parent = program,
  ): Declaration =>
    parent
      // Flags behind the name of a command of its own are that one's; those before it are for both.
      .enablePositionalOptions(parent !== program)
      .command(name)
      .helpCommand(false)
      .helpGroup(group)
      .summary(texts.summary)
      .description(texts.description)
      .addHelpText('after', () => examples(out, texts.examples))
      .allowExcessArguments(false)
      .action(async function (this: Declaration) {
        await execute(await load(), this.optsWithGlobals<F & object>(), this.args)
      })

  declareSyncCommands(declare)
  declareInspectCommands(declare)
  declareServeCommands(declare)
  declareMaintenanceCommands(declare)
  declareHelp(program)
  return program
}

const startExamples: readonly Example[] = [
  { line: 'doctor', what: 'is everything ready?' },
  { line: 'sync', what: 'bring the mirror up to date' },
  { line: 'query "select kind, count(*) from responses group by kind"', what: 'ask' },
]

function declareHelp(program: Declaration): void {
  program
    .command('help')
    .helpGroup(maintenanceGroup)
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
