import { UsageError } from '../../common/errors.ts'
import type { Command } from '../cli/context.ts'
import { bashCompletion } from './bash.ts'
import { commandWords, type CommandWords } from './command-words.ts'
import { fishCompletion } from './fish.ts'
import { zshCompletion } from './zsh.ts'

const scripts: Readonly<Record<string, (commands: readonly CommandWords[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}
const shells = Object.keys(scripts)

/** Prints the script that completes the command line in a shell, made from the commands as they are declared. */
export const completion: Command<object> = async ({ operands: [shell = ''], terminal, program }) => {
  const script = scripts[shell]
  if (script === undefined)
    throw new UsageError(
      `completion: the shell must be one of ${shells.join(', ')}, not ${JSON.stringify(shell)}`,
    )
  await terminal.out.write(script(commandWords(program, shells)))
  return 0
}
