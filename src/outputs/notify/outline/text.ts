/** A message as plain text of 80 columns, for a terminal and a mail. */
import { shorten, wrapWords } from '../../../common/text/fit-text.ts'
import type { Outline, OutlinePart } from './outline.ts'

const COLUMNS = 80

/** Ends with a line feed. */
export function outlineText({ title, lead, parts, end }: Outline): string {
  const paragraph = (text: string) => `${wrapWords(text, { width: COLUMNS, hang: 0 })}\n`
  return [line(title), ...lead.map(paragraph), ...parts.map(partText), ...end.map(paragraph)].join('\n')
}

function partText({ heading, items, rest }: OutlinePart): string {
  const itemText = (item: string) => `  ${wrapWords(item, { width: COLUMNS, hang: 4, used: 2 })}\n`
  return [line(heading), ...items.map(itemText), restText(rest)].join('')
}

function restText(rest: OutlinePart['rest']): string {
  if (rest === null) return ''
  // A line break within a quoted text of SQL would be a part of it.
  const isWrapped = (rest.command.match(/'[^']*'/g) ?? []).every((quoted) => !quoted.includes(' '))
  const width = isWrapped ? COLUMNS : null
  return `  ${wrapWords(`${rest.count}: ${rest.command}`, { width, hang: 4, used: 2 })}\n`
}

function line(text: string): string {
  return `${shorten(text, COLUMNS)}\n`
}
