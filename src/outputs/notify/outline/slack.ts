/** A message as Slack's incoming webhooks take it. Its texts are literal: nothing in them mentions anybody or becomes a link. */
import type { Outline, OutlinePart } from './outline.ts'

/** Slack refuses a message with more blocks, or a heading that is longer. */
const MAX_BLOCKS = 50
const MAX_HEADER_LENGTH = 150

interface Text {
  readonly type: 'text'
  readonly text: string
  readonly style?: { readonly bold?: true; readonly code?: true }
}

interface Section {
  readonly type: 'rich_text_section'
  readonly elements: readonly Text[]
}

interface List {
  readonly type: 'rich_text_list'
  readonly style: 'bullet'
  readonly elements: readonly Section[]
}

type Block =
  | {
      readonly type: 'header'
      readonly text: { readonly type: 'plain_text'; readonly text: string; readonly emoji: false }
    }
  | { readonly type: 'rich_text'; readonly elements: readonly (Section | List)[] }

export interface SlackMessage {
  /** For notifications; Slack reads markup in it. */
  readonly text: string
  readonly blocks: readonly Block[]
}

export function outlineSlack(subject: string, { title, lead, parts, end }: Outline): SlackMessage {
  const header = Array.from(title).slice(0, MAX_HEADER_LENGTH).join('')
  const blocks: Block[] = [
    { type: 'header', text: { type: 'plain_text', text: header, emoji: false } },
    ...lead.map((text) => richText(section(text))),
    ...parts.map(partBlock),
    ...end.map((text) => richText(section(text))),
  ]
  return { text: escaped(subject), blocks: blocks.slice(0, MAX_BLOCKS) }
}

function partBlock({ heading, items, rest }: OutlinePart): Block {
  const list: List = { type: 'rich_text_list', style: 'bullet', elements: items.map((item) => section(item)) }
  return richText(
    { type: 'rich_text_section', elements: [{ type: 'text', text: heading, style: { bold: true } }] },
    ...(items.length === 0 ? [] : [list]),
    ...(rest === null ? [] : [restSection(rest)]),
  )
}

function restSection({ count, command }: NonNullable<OutlinePart['rest']>): Section {
  return {
    type: 'rich_text_section',
    elements: [
      { type: 'text', text: `${count}: ` },
      { type: 'text', text: command, style: { code: true } },
    ],
  }
}

function richText(...elements: readonly (Section | List)[]): Block {
  return { type: 'rich_text', elements }
}

/** Slack refuses an empty text. */
function section(text: string): Section {
  return { type: 'rich_text_section', elements: [{ type: 'text', text: text || ' ' }] }
}

function escaped(text: string): string {
  // guard: markup in Slack
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
