import { stripControlChars } from '../../../common/text/strip-control-chars.ts'
import type { Output } from '../../terminal/terminal.ts'
import { wrapWords } from '../../../common/text/fit-text.ts'

const INDENT = 4

/** A word in colour and what is said of it, cleaned; further lines stand below the first. */
export function noteLine(
  out: Pick<Output, 'style' | 'width'>,
  [word, colour]: readonly [word: string, colour: 'yellow' | 'red'],
  text: string,
): string {
  const { width } = out
  const lines = stripControlChars(text)
    .split('\n')
    .map((line, at) => wrapWords(line, { width, hang: INDENT, used: at === 0 ? word.length + 3 : INDENT }))
  return `  ${out.style(colour, word)} ${lines.join(`\n${' '.repeat(INDENT)}`)}\n`
}
