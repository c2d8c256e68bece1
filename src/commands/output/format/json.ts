import type { Output, Terminal } from '../../terminal/terminal.ts'
import { escapeControlCharsInJson } from '../../../common/text/strip-control-chars.ts'

/** One JSON document: indented for eyes on a terminal, on one line for programs. */
export function writeJson(out: Output, value: unknown): Promise<void> {
  return out.write(`${jsonText(value, out.isTerminal)}\n`)
}

export function jsonText(value: unknown, isForEyes: boolean): string {
  return escapeControlCharsInJson(JSON.stringify(value, null, isForEyes ? 2 : undefined))
}

interface Asked {
  readonly flags: { readonly json?: true }
  readonly terminal: Terminal
}

/** What a command found: with `--json` the document, else the text. @returns the exit code of success */
export async function writeResult(
  { flags, terminal: { out } }: Asked,
  document: object,
  format: (out: Output) => string,
): Promise<0> {
  await (flags.json ? writeJson(out, document) : out.write(format(out)))
  return 0
}

/** What a command changed: with `--json` the document, else words on stderr. @returns the exit code of success */
export async function writeChange(
  { flags, terminal: { out, err } }: Asked,
  document: object,
  words: string,
): Promise<0> {
  await (flags.json ? writeJson(out, document) : err.write(words))
  return 0
}
