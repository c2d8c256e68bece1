import type { Command, CommanderError } from 'commander'
import { environmentFaults } from '../config.ts'
import { didYouMean } from '../config/variable-names.ts'
import { ConfigurationError, UsageError } from '../errors.ts'

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
  const command = program.commands.find((candidate) => candidate.name() === called) ?? program
  if (error.code === 'commander.unknownCommand') return unknownCommand(program, called ?? '')
  const faults =
    error.code === 'commander.unknownOption' ? unknownFlags(command, argv) : [otherFault(error, command)]
  return new ConfigurationError([...faults, ...(await environmentFaults())])
}

export function unknownCommand(program: Command, word: string): UsageError {
  const names = program.commands.map((command) => command.name())
  return new UsageError(`there is no command ${word}${didYouMean(word, names)}; see headcount --help`)
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
    const expected = command.registeredArguments.length
    return expected === 0
      ? `${nameOf(command)} takes flags only, no other words; see ${fullName(command)} --help`
      : `${nameOf(command)} takes one ${command.registeredArguments[0]?.name()}: put it into quotes`
  }
  return `${nameOf(command)}: ${error.message.replace(/^error: /, '')}`
}

function nameOf(command: Command): string {
  return command.parent === null ? 'headcount' : command.name()
}

function fullName(command: Command): string {
  return command.parent === null ? 'headcount' : `headcount ${command.name()}`
}
