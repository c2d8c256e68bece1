import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { createProgram } from '../../src/commands/cli/program.ts'
import { openTerminal } from '../../src/commands/terminal/terminal.ts'

/** Commands below one heading, each followed by the commands of its own. */
export interface DeclaredGroup {
  readonly heading: string
  readonly commands: readonly Command[]
}

/** The commands as they are declared, without `help`. */
export function declaredCommands(): { readonly program: Command; readonly groups: readonly DeclaredGroup[] } {
  const terminal = openTerminal(new PassThrough(), new PassThrough())
  const program = createProgram(
    terminal,
    () => {},
    async () => {},
  )
  const commands = program.commands.filter((command) => command.name() !== 'help')
  const groups = Map.groupBy(commands, (command) => command.helpGroup())
  return {
    program,
    groups: [...groups].map(([heading, members]) => ({
      heading: heading.replace(/:$/, ''),
      commands: members.flatMap((command) => [command, ...command.commands]),
    })),
  }
}
