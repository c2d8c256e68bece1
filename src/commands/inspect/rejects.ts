import { commandName } from '../../common/command-name.ts'
import type { AcceptedReject } from '../../load/state/accepted-rejects.ts'
import { acceptRejectsCall, parseHashPrefix } from '../../mirror/calls/accept-rejects.ts'
import { rejectsCall, type ListedRejects } from '../../mirror/calls/rejects.ts'
import type { Command, JsonFlags, ListFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { writeChange, writeResult } from '../output/format/json.ts'
import { formatBytes, formatCount } from '../../common/text/number.ts'
import { listTable, right, text } from '../output/format/table.ts'
import { shorten } from '../../common/text/fit-text.ts'
import type { Output } from '../terminal/terminal.ts'

/** The beginning of an item, on one line; the JSON has it whole (up to 64 KiB). */
const PAYLOAD_COLUMNS = 100
/** Digits of a SHA-256 that are shown: enough to tell items apart, and `rejects accept` takes them. */
const SUM_DIGITS = 12

function shortHash(sha256: string): string {
  return sha256.slice(0, SUM_DIGITS)
}

export const rejects: Command<ListFlags> = async (context) => {
  const { limit } = context.flags
  const found = await callMirror(context, rejectsCall, ({ account }) => ({ account, limit }))
  return writeResult(context, found, (out) =>
    found.rejects.length === 0 ? 'Nothing is rejected.\n' : formatRejects(found, out),
  )
}

function formatRejects({ rejects: found, has_more }: ListedRejects, out: Output): string {
  const table = listTable(out, found, [
    ['account', ({ account }) => account],
    ['event', ({ event_id }) => event_id ?? '(the event list)'],
    ['sha256', ({ sha256 }) => (out.isTerminal ? shortHash(sha256) : sha256)],
    [text('reason'), ({ reason }) => reason],
    [text('path'), ({ path }) => path],
    [right('size'), ({ bytes }) => formatBytes(bytes)],
    ['accepted', ({ accepted_at }) => accepted_at?.slice(0, 10) ?? 'no'],
    [text('item'), ({ payload }) => shownPayload(payload)],
  ])
  const count = formatCount(found.length, 'item')
  return `${table}(${has_more ? `the first ${count}; there are more: --limit` : count})\n`
}

function shownPayload(payload: string | null): string {
  return payload === null ? '(forgotten)' : shorten(stripControlCharsInLine(payload), PAYLOAD_COLUMNS)
}

type AcceptFlags = JsonFlags & { readonly event?: string; readonly revoke?: true }

export const rejectsAccept: Command<AcceptFlags> = async (context) => {
  const { flags, operands } = context
  const revokes = flags.revoke ?? false
  const prefixes = operands.map(parseHashPrefix)
  const changed = await callMirror(context, acceptRejectsCall, ({ account }) => ({
    account,
    event_id: flags.event ?? null,
    prefixes,
    revokes,
  }))
  const document = revokes ? { revoked: changed } : { accepted: changed }
  return writeChange(context, document, describe(changed, revokes))
}

function describe(changed: readonly AcceptedReject[], revokes: boolean): string {
  const lines = changed.map(
    ({ account, event_id, sha256 }) =>
      `  ${shortHash(sha256)} ${event_id === null ? 'in the event list' : `of event ${stripControlCharsInLine(event_id)}`}, account ${stripControlCharsInLine(account)}\n`,
  )
  const count = formatCount(changed.length, 'item')
  const head = revokes
    ? `No longer accepted: ${count}, a cause for exit 8 again where the service still has it.\n`
    : `Accepted: ${count}, listed by ${commandName()} rejects, but no cause for exit 8 until the item changes.\n`
  return head + lines.join('')
}
