/** Values of the views as people read them. */
import { commandName } from '../../common/command-name.ts'
import { formatNumber } from '../../common/text/number.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { paragraphs } from '../output/format/prose.ts'
import type { Output } from '../terminal/terminal.ts'

/** Whether the rows are of more than one account, so that each must name its own. */
export function isOfMany(rows: readonly { readonly account: string }[]): boolean {
  return new Set(rows.map(({ account }) => account)).size > 1
}

/** Blank for none, so that the others are seen. */
export function formatUnlessNone(count: string): string {
  return count === '0' ? '' : formatNumber(count)
}

/** What bounds an answer. */
export function noteLines(notes: readonly string[], out: Output): string {
  return paragraphs(out, ...notes.map((note) => `Note: ${stripControlCharsInLine(note)}.`))
}

export function meaningText(meaning: string | null): string {
  return meaning === 'not_coming' ? 'not coming' : (meaning ?? '')
}

/** A line for what `limit` left out, where nobody counted it. @param all the words of a command that shows all */
export function hasMoreLine(hasMore: boolean, all: string): string {
  return hasMore ? `There are more: --limit, or ${commandName()} ${all}\n` : ''
}

/** `and 3 more: --limit, or …`: a line for what `limit` left out; nothing when there is no more. @param all the words of a command that shows all */
export function moreLine(more: bigint | number, all: string): string {
  return more > 0 ? `and ${formatNumber(String(more))} more: --limit, or ${commandName()} ${all}\n` : ''
}
