/** A message as Slack's incoming webhooks take it. Its texts are literal: nothing in them mentions anybody or becomes a link. */
import type { Outline, OutlinePart } from './outline.ts'

/** Slack refuses a message with more blocks, or a heading that is longer. */
const MAX_BLOCKS = 50
const MAX_HEADER_LENGTH = 150

export function outlineSlack(subject: string, { title, lead, parts, end }: Outline) {
  const header = Array.from(title).slice(0, MAX_HEADER_LENGTH).join('')
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: header, emoji: false } },
    ...lead.map((text) => richText(section(said(text)))),
    ...parts.map(partBlock),
    ...end.map((text) => richText(section(said(text)))),
  ]
  // For notifications; Slack reads markup in it.
  return { text: escaped(subject), blocks: blocks.slice(0, MAX_BLOCKS) }
}

function partBlock({ heading, items, rest }: OutlinePart) {
  const list = { type: 'rich_text_list', style: 'bullet', elements: items.map((item) => section(said(item))) }
  return richText(
    section(said(heading, { bold: true })),
    ...(items.length === 0 ? [] : [list]),
    ...(rest === null ? [] : [section(said(`${rest.count}: `), said(rest.command, { code: true }))]),
  )
}

function richText(...elements: readonly object[]) {
  return { type: 'rich_text', elements }
}

function section(...elements: readonly object[]) {
  return { type: 'rich_text_section', elements }
}

/** Slack refuses an empty text. */
function said(text: string, style?: { readonly bold: true } | { readonly code: true }) {
  return { type: 'text', text: text || ' ', ...(style && { style }) }
}

function escaped(text: string): string {
  // guard: markup in Slack
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
