import type { Flags } from '../../config/config.ts'
import type { JsonObject, JsonValue } from '../../common/json/exact.ts'
import { commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import {
  personCall,
  type HeldResponse,
  type HeldVersion,
  type PersonRecord,
} from '../../mirror/persons/show.ts'
import type { Mention } from '../../mirror/persons/mentions.ts'
import { searchKey } from '../../mirror/persons/search.ts'
import { personKeyOf } from '../../sync/options.ts'
import { RESPONSE_FIELDS } from '../../common/schema/field-names.ts'
import type { Command, JsonFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeResult } from '../output/format/json.ts'
import { formatCount } from '../../common/text/number.ts'
import { drawParts, paragraphs } from '../output/format/prose.ts'
import { drawPairs, listTable, text, type Pair } from '../output/format/table.ts'
import { formatInstant } from '../output/format/timestamp.ts'
import type { Output } from '../terminal/terminal.ts'
import { momentText } from '../../common/text/moments.ts'
import { noteLines } from './values.ts'

/** `person` alone says what there is. */
export const person: Command<Flags> = async () => {
  throw new UsageError(
    `person takes a command: ${commandName()} person show EMAIL, person erase EMAIL, person restore EMAIL or person suppressions`,
  )
}

/** Everything that the mirror holds of one person. */
export const personShow: Command<JsonFlags> = async (context) => {
  const email = context.operands[0] ?? ''
  const found = await callMirror(context, personCall, ({ account, personKey }) => ({
    account,
    email,
    ...searchKey(email, personKeyOf(personKey ?? undefined)),
  }))
  return writeResult(context, found, (out) => formatPerson(found, out))
}

/** What no command of this program can look into. */
const ELSEWHERE =
  'Not looked into: the service itself, backups and write-ahead logs of this database, and mirrors that read this one.'

function formatPerson(
  { email_key, responses, versions, mentions, notes }: PersonRecord,
  out: Output,
): string {
  const address = stripControlCharsInLine(email_key)
  const elsewhere = noteLines(notes, out) + paragraphs(out, ELSEWHERE)
  if (responses.length + versions.length + mentions.length === 0)
    return `Nothing in the mirror names ${address}.\n${elsewhere}`
  const parts = [
    ['Responses', responses.map((response) => formatResponse(response, out)).join('\n')],
    ['Former versions, the newest first', versions.map((version) => formatVersion(version, out)).join('\n')],
    ['Other places that name the address', mentions.length === 0 ? '' : formatMentions(mentions, out)],
  ] as const
  const counts = [
    formatCount(responses.length, 'response'),
    formatCount(versions.length, 'former version'),
    formatCount(mentions.length, 'other place'),
  ]
  return [
    `${out.style('bold', address)}\n  ${counts.join(', ')}\n`,
    drawParts(parts, out),
    `\n${elsewhere}`,
  ].join('')
}

function formatResponse(response: HeldResponse, out: Output): string {
  const stored = `since ${formatInstant(response.changed_at)}, run ${response.run_id}`
  return formatItem(response, stored, out)
}

function formatVersion(version: HeldVersion, out: Output): string {
  const end = version.operation === 'delete' ? 'the service returned it no longer' : 'it changed'
  const stored = `${formatInstant(version.valid_from)} … ${formatInstant(version.valid_to)}; then ${end} (run ${version.ended_by_run_id})`
  return formatItem(version, stored, out)
}

function formatItem(item: HeldResponse | HeldVersion, stored: string, out: Output): string {
  const title = stripControlCharsInLine(item.event_title ?? '(no title)')
  const event = `${title} (${stripControlCharsInLine(item.event_id)}), ${momentText(item.event_at)}`
  return drawPairs(out, [
    ['account', stripControlCharsInLine(item.account)],
    ['event', event],
    ['response', item.response_id],
    ['stored', stored],
    ...fieldsOf(item.document),
  ])
}

/** Every field of a document, those of the specification first. */
function fieldsOf(document: JsonObject): readonly Pair[] {
  const placeOf = ([name]: readonly [string, unknown]) =>
    RESPONSE_FIELDS.findIndex((field) => field === name) >>> 0
  return Object.entries(document)
    .filter(([name]) => name !== 'id')
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map(([name, value]) => [stripControlCharsInLine(name), valueText(value)])
}

function valueText(value: JsonValue): string {
  return stripControlCharsInLine(typeof value === 'string' ? value : JSON.stringify(value))
}

function formatMentions(mentions: readonly Mention[], out: Output): string {
  return listTable(out, mentions, [
    ['account', ({ account }) => account],
    ['place', ({ place }) => place],
    ['event', ({ event_id }) => event_id ?? ''],
    ['row', ({ row }) => row ?? ''],
    [text('text'), (mention) => mention.text],
  ])
}
