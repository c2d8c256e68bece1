import type { Command, Option } from 'commander'
import { choicesOf } from '../cli/options.ts'

/** What can be typed behind the name of one command. */
export interface CommandWords {
  /** As it is typed behind the name of the program: '', `rejects`, `rejects accept`. */
  readonly path: string
  /** Its own commands, or the words that its operand may be. */
  readonly words: readonly DescribedWord[]
  readonly flags: readonly FlagWords[]
}

export interface DescribedWord {
  readonly word: string
  readonly summary: string
}

export interface FlagWords {
  /** `--format`; with `-q` also the short one. */
  readonly names: readonly string[]
  readonly summary: string
  /** null: it takes none; `text`: one that cannot be completed. */
  readonly value: 'file' | 'text' | readonly string[] | null
}

/** The program and all its commands. */
export function commandWords(program: Command, shells: readonly string[]): readonly CommandWords[] {
  const commands = described(program)
  const operands: Readonly<Record<string, readonly DescribedWord[]>> = {
    help: commands,
    completion: shells.map((word) => ({ word, summary: `for ${word}` })),
  }
  const everywhere = program.options.filter(({ hidden }) => !hidden).map(flagWords)
  const below = (command: Command, path: string): readonly CommandWords[] => [
    {
      path,
      words: operands[path] ?? described(command),
      flags: [...(path === '' ? [] : command.options.map(flagWords)), ...everywhere, help],
    },
    ...command.commands.flatMap((own) => below(own, `${path} ${own.name()}`.trim())),
  ]
  return below(program, '')
}

/** The word by which a command is entered from the one above it: `accept` from `rejects`, `rejects` from the program (''). */
export function entry(path: string): { readonly from: string; readonly word: string } {
  const at = path.lastIndexOf(' ')
  return { from: path.slice(0, Math.max(at, 0)), word: path.slice(at + 1) }
}

/** For bash and zsh, line by line of a `case "$called $word" in`: which command has been typed so far. */
export function entries(commands: readonly CommandWords[]): string {
  return commands
    .filter(({ path }) => path !== '')
    .map(({ path }) => `      '${entry(path).from} ${entry(path).word}') called='${path}' ;;`)
    .join('\n')
}

/** For bash and zsh, line by line of a `case "$called $previous" in`: what completes the value of a flag, and ends there. */
export function flagValues(
  commands: readonly CommandWords[],
  complete: (value: NonNullable<FlagWords['value']>) => string,
): string {
  const lines = commands.flatMap(({ path, flags }) =>
    flags.flatMap(({ names, value }) =>
      value === null
        ? []
        : `    ${names.map((name) => `'${path} ${name}'`).join('|')}) ${complete(value)}; return ;;`,
    ),
  )
  return lines.join('\n')
}

const help: FlagWords = { names: ['--help'], summary: 'print help', value: null }

function described({ commands }: Command): readonly DescribedWord[] {
  return commands.map((command) => ({ word: command.name(), summary: command.summary() }))
}

function flagWords(option: Option): FlagWords {
  return {
    names: [option.long, option.short].filter((name) => name !== undefined),
    summary: option.description,
    value: option.isBoolean()
      ? null
      : (choicesOf(option) ?? (/<(?:file|folder)>/.test(option.flags) ? 'file' : 'text')),
  }
}
