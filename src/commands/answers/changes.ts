import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { changesCall, type Changes, type ListedChange } from '../../mirror/answers/changes.ts'
import type { Since } from '../../mirror/instants/parse-since.ts'
import type { Command, ListFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeResult } from '../output/format/json.ts'
import { formatCount } from '../../common/text/number.ts'
import { paragraphs } from '../output/format/prose.ts'
import { listTable, text } from '../output/format/table.ts'
import { formatTimestamp } from '../output/format/timestamp.ts'
import type { Output } from '../terminal/terminal.ts'
import { asText, fieldChange } from '../../common/text/field-change.ts'
import { momentText } from '../../common/text/moments.ts'
import { isOfMany, moreLine } from './values.ts'

type ChangesFlags = ListFlags & {
  readonly since: Since
  readonly event?: string
}

/** What runs changed, with names and titles; first readings apart. */
export const changes: Command<ChangesFlags> = async (context) => {
  const { limit, since, event = null } = context.flags
  const found = await callMirror(context, changesCall, ({ account }) => ({ account, limit, since, event }))
  return writeResult(context, found, (out) => formatChanges(found, out))
}

function formatChanges(
  { changes: found, total, first_readings, pruned_until }: Changes,
  out: Output,
): string {
  const pruned =
    pruned_until === null
      ? ''
      : `History was pruned: what changed before ${momentText(pruned_until)} is not all here.\n`
  const first =
    first_readings === '0'
      ? ''
      : paragraphs(
          out,
          `${formatCount(first_readings, 'item')} read for the first time: they were there before, and are no news.`,
        )
  if (found.length === 0) return `Nothing changed.\n${pruned}${first}`
  const table = listTable(out, found, [
    ['stored (UTC)', ({ changed_at }) => formatTimestamp(changed_at, 'minute')],
    isOfMany(found) && ['account', ({ account }) => account],
    [text('event'), ({ event_title, event_id }) => event_title ?? event_id],
    [
      text('who'),
      ({ entity, name, response_id }) => (entity === 'event' ? '' : (name ?? `response ${response_id}`)),
    ],
    [text('what'), whatChanged],
  ])
  const rest = moreLine(BigInt(total) - BigInt(found.length), 'query "table changes"')
  const notes = `${pruned}${first}`
  return `${table}${rest}${notes === '' ? '' : `\n${notes}`}`
}

/** What became of an event or a response that came or went. */
export const arrivalWords = {
  event: { insert: 'announced', returned: 'listed again', delete: 'no longer listed' },
  response: { insert: 'answered', returned: 'is there again', delete: 'withdrew' },
} as const

function whatChanged({ entity, change, returned, fields, former, record }: ListedChange): string {
  if (change === 'insert' || change === 'delete')
    return arrivalWords[entity === 'event' ? 'event' : 'response'][returned ? 'returned' : change]
  // What the service notes of each edit says nothing beside what was edited.
  const told = (fields ?? []).filter((field, _, all) => field !== 'updated_at' || all.length === 1)
  return told
    .map((field) =>
      fieldChange(stripControlCharsInLine(field), asText(former?.[field]), asText(record[field])),
    )
    .join(', ')
}
