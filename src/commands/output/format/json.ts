import type { Output } from '../../terminal/terminal.ts'
import { escapeControlCharsInJson } from '../../../common/strip-control-chars.ts'

/** One JSON document: indented for eyes on a terminal, on one line for programs. */
export function writeJson(out: Output, value: unknown): Promise<void> {
  return out.write(
    `${escapeControlCharsInJson(JSON.stringify(value, null, out.isTerminal ? 2 : undefined))}\n`,
  )
}
