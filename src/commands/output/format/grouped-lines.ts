import { stripControlCharsInLine } from '../../../common/text/strip-control-chars.ts'
import { formatCount, formatNumber } from '../../../common/text/number.ts'

/** Something that was said of an event, or with null of the whole. */
export interface Remark {
  readonly event_id: string | null
  readonly message: string
}

/** Kinds of remarks, and events of one kind, that people are shown: more than a screen is not read. */
const SHOWN_KINDS = 10
const SHOWN_EVENTS = 3

/**
 * One line for each kind of remark: a service in trouble fails hundreds of events, all in the same words.
 *
 * @param total of remarks, when not all are given
 * @param remedy where the rest is found
 */
export function groupedLines(
  remarks: readonly Remark[],
  total: number,
  [word, remedy]: readonly [word: string, remedy: string],
): string[] {
  const kinds = [...Map.groupBy(remarks, kindOf).values()]
  const shown = kinds.slice(0, SHOWN_KINDS)
  const rest = total - shown.reduce((sum, kind) => sum + kind.length, 0)
  const lines = shown.map((kind) => lineOf(kind, remedy))
  return rest > 0 ? [...lines, `and ${formatCount(rest, `more ${word}`)}: ${remedy}`] : lines
}

function lineOf(kind: readonly Remark[], remedy: string): string {
  const [first] = kind
  if (first === undefined) return ''
  if (first.event_id === null) return first.message
  if (kind.length === 1) return `event ${first.event_id}: ${first.message}`
  const ids = kind.slice(0, SHOWN_EVENTS).map(({ event_id }) => stripControlCharsInLine(event_id ?? ''))
  const more = kind.length - ids.length
  const others = more > 0 ? ` and ${formatNumber(more)} more; ${remedy}` : ''
  return `${formatNumber(kind.length)} events (${ids.join(', ')}${others}): ${withoutId(first)}`
}

/** What several events have in common: all but the id, numbers, and how often it was tried. */
function kindOf(remark: Remark): string {
  if (remark.event_id === null) return remark.message
  return `event ${withoutId(remark).replaceAll(/\d+/g, '0')}`
}

function withoutId({ event_id, message }: Remark): string {
  const common = message.replace(/ Given up\b[^]*$/, '')
  if (event_id === null || event_id === '') return common
  return common.replaceAll(`/${encoded(event_id)}/`, '/…/').replaceAll(`"${event_id}"`, '…')
}

/** As it stands in the address of the event's responses. */
function encoded(id: string): string {
  return id.isWellFormed() ? encodeURIComponent(id) : id
}
