import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'

const MAX_CHARACTERS = 60

/** A value or a name in a message: short, on one line. */
export function quote(text: string): string {
  const shown = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
  return `"${stripControlCharsInLine(shown)}"`
}
