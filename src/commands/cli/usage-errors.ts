import type { Command, CommanderError } from 'commander'
import { environmentFaults } from '../../config/config.ts'
import { didYouMean } from '../../config/variable-names.ts'
import { ConfigurationError, UsageError } from '../../common/errors.ts'
import { fullName, ownName } from './help.ts'

/**
 * What is wrong with a command line that could not be read: every unknown flag at once, and every fault in the
 * environment with them. Values are never repeated: people paste keys into the wrong place.
 */
export async function usageFailure(
  error: CommanderError,
  program: Command,
  argv: readonly string[],
): Promise<UsageError> {
  const called = argv.find((word) => !word.startsWith('-'))
  const command = commandOf(program, argv)
  if (error.code === 'commander.unknownCommand') return unknownCommand(program, called ?? '')
  const faults =
    error.code === 'commander.unknownOption' ? unknownFlags(command, argv) : [otherFault(error, command)]
  return new ConfigurationError([...faults, ...(await environmentFaults())])
}

/** The command that was called: the first word names it, and a later one may name a command of its own. */
function commandOf(program: Command, argv: readonly string[]): Command {
  const words = argv.filter((word) => !word.startsWith('-'))
  const named = (command: Command, name: string | undefined) =>
    command.commands.find((candidate) => candidate.name() === name)
  const command = named(program, words[0])
  if (command === undefined) return program
  return words.slice(1).flatMap((word) => named(command, word) ?? [])[0] ?? command
}

export function unknownCommand(parent: Command, word: string): UsageError {
  const names = parent.commands.map((command) => command.name())
  const what = parent.parent === null ? 'there is no command' : `${nameOf(parent)} has no command`
  return new UsageError(`${what} ${word}${didYouMean(word, names)}; see ${fullName(parent)} --help`)
}

function unknownFlags(command: Command, argv: readonly string[]): string[] {
  const known = [...command.options.flatMap((option) => option.long ?? []), '--help']
  const rest = command.parent === null ? argv : argv.slice(argv.indexOf(command.name()) + 1)
  const flags = command.parseOptions([...rest]).unknown.filter((word) => /^-./.test(word))
  return flags.map((flag) => {
    const [name = flag] = flag.split('=')
    return `${nameOf(command)} has no flag ${name}${didYouMean(name, known)}; see ${fullName(command)} --help`
  })
}

function otherFault(error: CommanderError, command: Command): string {
  if (error.code === 'commander.excessArguments') {
    if (command.commands.length > 0) {
      const names = command.commands.map((own) => own.name()).join(' or ')
      return `${nameOf(command)} takes flags, or ${names} with its own words; see ${fullName(command)} --help`
    }
    const expected = command.registeredArguments.map((argument) => argument.name())
    return expected.length === 0
      ? `${nameOf(command)} takes flags only, no other words; see ${fullName(command)} --help`
      : `${nameOf(command)} takes one ${expected.join(' and one ')}: put it into quotes if it has spaces`
  }
  return `${nameOf(command)}: ${error.message.replace(/^error: /, '')}`
}

function nameOf(command: Command): string {
  return command.parent === null ? 'headcount' : ownName(command).join(' ')
}
