/** build/headcount.1, made from the commands as they are declared: what `man headcount` shows where the package is installed. */
import type { Command } from 'commander'
import { exitCodes } from '../../src/commands/exit-codes.ts'
import { settingsHelp, settingsNote } from '../../src/commands/cli/help.ts'
import { version } from '../../src/common/version.ts'
import { declaredCommands, type DeclaredGroup } from './declared-commands.ts'

export function manPage(): string {
  const { program, groups } = declaredCommands()
  const parts = [
    `.TH HEADCOUNT 1 "" "headcount ${version()}" "User Commands"`,
    section('NAME'),
    `headcount \\- ${roff(program.description().replace(/\.$/, ''))}`,
    section('SYNOPSIS'),
    '.B headcount\n.I command\n.RI [ options ]',
    section('DESCRIPTION'),
    roff(program.description()),
    paragraph('headcount help <command> shows the flags of one command with examples.'),
    ...groups.flatMap(groupPart),
    section('ENVIRONMENT'),
    ...settingsHelp.map(([term, meaning]) => item(term, meaning)),
    paragraph(`${settingsNote.trim()} Every setting is listed in docs/cli.md of the package.`),
    section('EXIT STATUS'),
    ...exitCodes.map(([code, meaning]) => item(code, meaning)),
  ]
  return `${parts.join('\n')}\n`
}

function groupPart({ heading, commands }: DeclaredGroup): readonly string[] {
  return [section(heading.toUpperCase()), ...commands.flatMap(commandPart)]
}

function commandPart(command: Command): readonly string[] {
  const name = [command.parent?.parent ? command.parent.name() : '', command.name()].join(' ').trim()
  const options = command.options.filter((option) => !option.hidden)
  return [
    `.SS ${quoted(`headcount ${name} ${command.usage()}`)}`,
    roff(command.description()),
    ...options.map(({ flags, description }) => item(flags, description)),
  ]
}

function section(title: string): string {
  return `.SH ${quoted(title)}`
}

function paragraph(text: string): string {
  return `.PP\n${roff(text)}`
}

/** A term in bold with its meaning beside or below. */
function item(term: string, meaning: string): string {
  return `.TP\n.B ${quoted(term)}\n${roff(meaning)}`
}

/** Text as a word of a request. */
function quoted(text: string): string {
  return `"${roff(text).replaceAll('"', '\\(dq')}"`
}

/** As troff names a character: four hexadecimal digits or more. */
function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}

/** Text of which troff takes nothing for a request: hyphens that can be copied, no line that begins with a dot or a quote. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll(/[^\0-\u007f]/gu, (character) => `\\[u${codeOf(character)}]`)
    .replaceAll(/^\./gm, '\\&.')
}
