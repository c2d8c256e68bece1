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
  const everywhere = program.options.map(flagWords)
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
