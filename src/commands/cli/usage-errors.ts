import { CommanderError, type Command } from 'commander'
import { environmentFaults } from '../../config/config.ts'
import { didYouMean } from '../../common/text/did-you-mean.ts'
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

/** The flags before the name of a command of its own are those of the command above it. */
function unknownFlags(command: Command, argv: readonly string[]): string[] {
  const parent = command.parent
  if (parent === null) return unknownFlagsOf(command, argv)
  const at = argv.indexOf(command.name())
  const words = argv.slice(0, at)
  const before = parent.parent === null ? flagsBeforeName(command, words) : unknownFlags(parent, words)
  return [...before, ...unknownFlagsOf(command, argv.slice(at + 1))]
}

/** Other programs take their flags before the name of a command. */
function flagsBeforeName(command: Command, words: readonly string[]): string[] {
  const program = rootOf(command)
  return unknownFlagsOf(program, words, (flag) => {
    const name = nameOfFlag(flag)
    const isOfCommand = command.options.some(({ short, long }) => name === short || name === long)
    return isOfCommand
      ? `the flag ${name} stands behind the name of the command: ${fullName(command)} ${name}`
      : flagFault(program, flag)
  })
}

/** What is wrong with a flag that is known, as a value that is missing, stands for the unknown ones beside it. */
function unknownFlagsOf(
  command: Command,
  words: readonly string[],
  describe = (flag: string) => flagFault(command, flag),
): string[] {
  try {
    return unknownWords(command, words).map(describe)
  } catch (error) {
    if (error instanceof CommanderError) return [otherFault(error, command)]
    if (error instanceof UsageError) return [error.message]
    throw error
  }
}

/** The flags that neither the command nor the program takes, as they were written. */
function unknownWords(command: Command, words: readonly string[]): string[] {
  const isOfAll = (word: string) =>
    rootOf(command).options.some(
      ({ long, required }) => long === nameOfFlag(word) && (required || !word.includes('=')),
    )
  return command.parseOptions([...words]).unknown.filter((word) => /^-./.test(word) && !isOfAll(word))
}

function flagFault(command: Command, flag: string): string {
  const name = nameOfFlag(flag)
  const known = [...command.options, ...rootOf(command).options]
    .flatMap((option) => option.long ?? [])
    .concat('--help')
  const fault = known.includes(name)
    ? `the flag ${name} takes no value`
    : `${nameOf(command)} has no flag ${name}${didYouMean(name, known)}`
  return `${fault}; see ${fullName(command)} --help`
}

const nameOfFlag = (word: string) => word.split('=', 1)[0] ?? word

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent)
}

function otherFault(error: CommanderError, command: Command): string {
  const help = `see ${fullName(command)} --help`
  const [quoted = '', other = ''] = Array.from(error.message.matchAll(/'([^']*)'/g), ([, text]) => text)
  switch (error.code) {
    case 'commander.excessArguments':
      return `${excessWords(command)}; ${help}`
    case 'commander.help':
      return `${nameOf(command)} needs a command; ${help}`
    case 'commander.missingArgument':
    case 'commander.missingMandatoryOptionValue':
      return `${nameOf(command)} needs ${quoted.startsWith('-') ? quoted : `<${quoted}>`}; ${help}`
    case 'commander.optionMissingArgument':
      return `${nameOf(command)}: ${quoted} needs a value; ${help}`
    case 'commander.conflictingOption':
      return `${nameOf(command)}: ${quoted} and ${other} exclude each other; ${help}`
    default:
      return `${nameOf(command)}: ${error.message.replace(/^error: /, '')}`
  }
}

function excessWords(command: Command): string {
  if (command.commands.length > 0) {
    const names = command.commands.map((own) => own.name()).join(', ')
    return `${nameOf(command)} takes flags, or one of its commands: ${names}`
  }
  const expected = command.registeredArguments.map((argument) => argument.name())
  return expected.length === 0
    ? `${nameOf(command)} takes flags only, no other words`
    : `${nameOf(command)} takes one ${expected.join(' and one ')}: put it into quotes if it has spaces`
}

function nameOf(command: Command): string {
  return command.parent === null ? 'headcount' : ownName(command).join(' ')
}
