/** Texts that somebody else wrote. */
import { html } from 'hono/html'
import { graphemesOf } from '../../../common/text/display-width.ts'
import { stripControlCharsInLine } from '../../../common/text/strip-control-chars.ts'

export type Html = ReturnType<typeof html>

/** A longer text is no title and no name. */
const MAX_CHARACTERS = 120

/** The beginning of a text, without what would turn the direction of the rest around. */
export function textOf(text: string, fallback = '(no title)'): Html {
  const shown = shownText(text)
  return shown === '' ? html`<span class="muted">${fallback}</span>` : html`<bdi>${shown}</bdi>`
}

/** An event, as every part of a report names it. */
export interface NamedEvent {
  readonly event_id: string
  readonly event_title: string | null
}

/** The title of an event; its id where it has none. */
export function titleOf({ event_id, event_title }: NamedEvent): Html {
  return textOf(event_title?.trim() ? event_title : event_id)
}

/** The same where no markup may stand. */
export function plainTitle({ event_id, event_title }: NamedEvent): string {
  return shownText(event_title?.trim() ? event_title : event_id)
}

/** What is seen of a text. */
export function shownText(text: string): string {
  return shorten(stripControlCharsInLine(text).trim())
}

function shorten(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text
  // A mark may stand on its letter a thousand times.
  const beginning = text.slice(0, 10 * MAX_CHARACTERS)
  const shown = [...graphemesOf(beginning)].slice(0, MAX_CHARACTERS - 1).join('')
  return shown.length === text.length
    ? text
    : `${shown
        .slice(0, 4 * MAX_CHARACTERS)
        .toWellFormed()
        .trimEnd()}…`
}
