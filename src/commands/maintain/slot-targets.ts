import { commandName } from '../../common/command-name.ts'
import type { Config } from '../../config/config.ts'
import { quote } from '../../common/parse-values.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import {
  removeSlotTargetCall,
  setSlotTargetCall,
  slotTargetsCall,
  type RemoveSlotTargetInput,
  describeScope,
  type ListedSlotTarget,
  type SetSlotTarget,
  type SlotTarget,
} from '../../mirror/owner-tables/slot-targets.ts'
import type { Command, JsonFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeChange, writeResult } from '../output/format/json.ts'
import { formatCount, formatNumber } from '../../common/text/number.ts'
import { listTable, right, text } from '../output/format/table.ts'
import type { Output } from '../terminal/terminal.ts'

/** How many people are wanted in which slots. */
export const slotTargets: Command<JsonFlags> = async (context) => {
  const found = await callMirror(context, slotTargetsCall, ({ account }) => ({ account }))
  return writeResult(context, { slot_targets: found }, (out) =>
    found.length === 0
      ? `No targets yet: every slot wants 2. ${commandName()} slot-targets set says another number.\n`
      : formatTargets(found, out),
  )
}

function formatTargets(found: readonly ListedSlotTarget[], out: Output): string {
  return listTable(out, found, [
    ['account', ({ account }) => account],
    ['event', ({ event_id }) => event_id ?? '(every event)'],
    [text('title'), ({ event_title }) => event_title ?? ''],
    ['slot', ({ slot_name }) => slot_name ?? '(every slot)'],
    [right('wanted'), ({ wanted }) => formatNumber(wanted)],
  ])
}

type ScopeFlags = JsonFlags & { readonly event?: string; readonly slot?: string }

function scopeOf({ event, slot }: ScopeFlags, { account }: Config): RemoveSlotTargetInput {
  return { account, event_id: event ?? null, slot_name: slot ?? null }
}

export const slotTargetsSet: Command<ScopeFlags & { readonly wanted: number }> = async (context) => {
  const { flags } = context
  const set = await callMirror(context, setSlotTargetCall, (config) => ({
    ...scopeOf(flags, config),
    wanted: flags.wanted,
  }))
  return writeChange(context, set, describeSet(set))
}

function describeSet(set: SetSlotTarget): string {
  const { wanted, former_wanted, is_unknown_slot, nearest } = set
  const before =
    former_wanted === null || former_wanted === wanted ? '' : ` (${formatNumber(former_wanted)} before)`
  const head = `Wanted now: ${formatCount(wanted, 'person', 'people')} for ${describeTarget(set)}${before}.\n`
  if (!is_unknown_slot) return head
  const where = set.event_id === null ? '' : ' of this event'
  const near = nearest === null ? `there is no slot${where} at all` : `the nearest name is ${quote(nearest)}`
  return `${head}No live slot${where} has this name now; ${near}.\n`
}

export const slotTargetsRemove: Command<ScopeFlags> = async (context) => {
  const { flags } = context
  const removed = await callMirror(context, removeSlotTargetCall, (config) => scopeOf(flags, config))
  const words = `No target any more for ${describeTarget(removed)} (${formatNumber(removed.wanted)} before).\n`
  return writeChange(context, removed, words)
}

function describeTarget(target: SlotTarget): string {
  return stripControlCharsInLine(`${describeScope(target)}, account ${target.account}`)
}
