import type { ViewRow } from '../../common/schema/view-columns.ts'
import { commandName } from '../../common/command-name.ts'
import { thinCall } from '../../mirror/answers/thin.ts'
import type { Command, ListFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeResult } from '../output/format/json.ts'
import { formatNumber } from '../../common/text/number.ts'
import { listTable, right, text } from '../output/format/table.ts'
import { footnote } from '../output/format/prose.ts'
import type { Output } from '../terminal/terminal.ts'
import { hasMoreLine, isOfMany } from './values.ts'
import { wallClockText } from '../../common/text/moments.ts'

/** Slots that need people. */
export const thin: Command<ListFlags> = async (context) => {
  const { limit } = context.flags
  const found = await callMirror(context, thinCall, ({ account }) => ({ account, limit }))
  const { thin_slots: slots, has_more } = found
  return writeResult(context, found, (out) =>
    slots.length === 0
      ? noneThin(out)
      : formatSlots(slots, out) + hasMoreLine(has_more, 'query "table thin_slots"') + unseen(out),
  )
}

function formatSlots(slots: readonly ViewRow<'thin_slots'>[], out: Output): string {
  return listTable(out, slots, [
    ['local time', ({ start_local }) => wallClockText(start_local)],
    [text('event'), ({ event_title, event_id }) => event_title ?? event_id],
    [text('slot'), ({ slot_name }) => slot_name ?? ''],
    isOfMany(slots) && ['account', ({ account }) => account],
    [right('people'), ({ people }) => formatNumber(people)],
    [right('wanted'), ({ wanted }) => formatNumber(wanted)],
    ['', ({ emptied_at }) => (emptied_at === null ? '' : 'emptied')],
  ])
}

const noneThin = (out: Output) => `No slot of the next 56 days needs people.\n${unseen(out)}`

/** What the data cannot tell. */
function unseen(out: Output): string {
  const line = `A slot that nobody ever took is in no response, so it is not here. How many people a slot wants: ${commandName()} slot-targets`
  return `\n${footnote(line, out)}`
}
