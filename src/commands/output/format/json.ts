import type { Output, Terminal } from '../../terminal/terminal.ts'
import { escapeControlCharsInJson } from '../../../common/text/strip-control-chars.ts'

/** One JSON document: indented for eyes on a terminal, on one line for programs. */
export function writeJson(out: Output, value: unknown): Promise<void> {
  return out.write(
    `${escapeControlCharsInJson(JSON.stringify(value, null, out.isTerminal ? 2 : undefined))}\n`,
  )
}

/** What a command found: with `--json` the document, else the text. */
export function writeResult(
  context: { readonly flags: { readonly json?: true }; readonly terminal: Terminal },
  document: object,
  format: (out: Output) => string,
): Promise<void> {
  const { out } = context.terminal
  return context.flags.json ? writeJson(out, document) : out.write(format(out))
}
