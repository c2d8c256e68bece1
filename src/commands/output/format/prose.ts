/** Text below a table or without one, in the width of the terminal. */
import { wrapWords } from '../../../common/text/fit-text.ts'
import type { Output } from '../../terminal/terminal.ts'

export function paragraphs({ width }: Pick<Output, 'width'>, ...texts: readonly string[]): string {
  return texts.map((text) => `${wrapWords(text, { width, hang: 0 })}\n`).join('')
}

/** A remark below a table, which is read once. */
export function footnote(words: string, { width, style }: Pick<Output, 'width' | 'style'>): string {
  return `${style('dim', wrapWords(words, { width, hang: 2, used: 0 }))}\n`
}

/** Parts below headings of their own; one without text is left out. */
export function drawParts(
  parts: readonly (readonly [heading: string, text: string])[],
  { style }: Pick<Output, 'style'>,
): string {
  return parts
    .filter(([, text]) => text !== '')
    .map(([heading, text]) => `\n${style('bold', style('cyan', heading))}\n${text}`)
    .join('')
}
