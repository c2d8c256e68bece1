import { commandName } from '../../common/command-name.ts'
import { quote } from '../../common/parse-values.ts'
import {
  removeRsvpMeaningCall,
  rsvpMeaningsCall,
  setRsvpMeaningCall,
  parseMeaning,
  type RsvpMeanings,
  type SetRsvpMeaning,
} from '../../mirror/owner-tables/rsvp-meanings.ts'
import type { Command, JsonFlags, ListFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeChange, writeResult } from '../output/format/json.ts'
import { formatCount, formatNumber } from '../../common/text/number.ts'
import { paragraphs } from '../output/format/prose.ts'
import { listTable, right, text } from '../output/format/table.ts'
import type { Output } from '../terminal/terminal.ts'

/** What each reply means, and which have no meaning yet. */
export const rsvpMeanings: Command<ListFlags> = async (context) => {
  const { limit } = context.flags
  const found = await callMirror(context, rsvpMeaningsCall, ({ account }) => ({ account, limit }))
  return writeResult(context, found, (out) => formatMeanings(found, out))
}

function formatMeanings({ rsvp_meanings, without_meaning, has_more }: RsvpMeanings, out: Output): string {
  const rows = [...rsvp_meanings, ...without_meaning.map((value) => ({ ...value, meaning: 'unknown' }))]
  if (rows.length === 0) return 'No value has a meaning, and no response has a value.\n'
  const table = listTable(out, rows, [
    [text('value'), ({ value }) => shownValue(value)],
    ['meaning', ({ meaning }) => meaning],
    [right('responses'), ({ responses }) => formatNumber(responses)],
  ])
  if (without_meaning.length === 0) return table
  const count = `${has_more ? 'more than ' : ''}${formatCount(without_meaning.length, 'value')}`
  const more = has_more ? '; --limit shows more' : ''
  const how = `${commandName()} rsvp-meanings set VALUE MEANING`
  return table + paragraphs(out, `(${count} without a meaning: ${how} gives one${more})`)
}

/** In quotes where nobody would see what it begins or ends with. */
const shownValue = (value: string) => (value === '' || value !== value.trim() ? quote(value) : value)

export const rsvpMeaningsSet: Command<JsonFlags> = async (context) => {
  const [value = '', word = ''] = context.operands
  const meaning = parseMeaning(word)
  const set = await callMirror(context, setRsvpMeaningCall, () => ({ value, meaning }))
  return writeChange(context, set, describeSet(set))
}

function describeSet({ value, meaning, former_meaning, responses, nearest }: SetRsvpMeaning): string {
  const before = former_meaning === null || former_meaning === meaning ? '' : ` (${former_meaning} before)`
  const head = `${quote(value)} means ${meaning} now${before}`
  if (responses > 0) return `${head}: ${formatCount(responses, 'response')}.\n`
  const near =
    nearest === null ? 'none has a value' : `the nearest value that responses have is ${quote(nearest)}`
  return `${head}. No response has this value now; ${near}.\n`
}

export const rsvpMeaningsRemove: Command<JsonFlags> = async (context) => {
  const [value = ''] = context.operands
  const removed = await callMirror(context, removeRsvpMeaningCall, () => ({ value }))
  const { meaning, responses } = removed
  const counted = formatCount(responses, 'response')
  return writeChange(
    context,
    removed,
    `${quote(value)} has no meaning any more (${meaning} before): ${counted}.\n`,
  )
}
