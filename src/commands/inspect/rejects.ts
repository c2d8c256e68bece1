import type { Flags } from '../../config/config.ts'
import { rejectsCall, type ListedReject } from '../../mirror/calls/rejects.ts'
import type { Command } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import { writeJson } from '../output/format/json.ts'
import { formatBytes, formatCount } from '../output/format/number.ts'
import { drawTable, shorten } from '../output/format/table.ts'
import type { Output } from '../terminal/terminal.ts'

type RejectsFlags = Flags & { readonly json?: true; readonly limit: number }

/** The beginning of an item, on one line; the JSON has it whole (up to 64 KiB). */
const PAYLOAD_COLUMNS = 100
/** Digits of a SHA-256 that are shown: enough to tell items apart, and `rejects accept` takes them. */
const SUM_DIGITS = 12

export function shortHash(sha256: string): string {
  return sha256.slice(0, SUM_DIGITS)
}

export const rejects: Command<RejectsFlags> = async (context) => {
  const { flags, terminal } = context
  const found = await callMirror(context, rejectsCall, ({ account }) => ({ account, limit: flags.limit }))
  if (flags.json) await writeJson(terminal.out, { rejects: found })
  else
    await terminal.out.write(
      found.length === 0 ? 'Nothing is rejected.\n' : formatRejects(found, terminal.out),
    )
  return 0
}

function formatRejects(found: readonly ListedReject[], out: Output): string {
  const table = drawTable(
    [
      { heading: 'account' },
      { heading: 'event' },
      { heading: 'sha256' },
      { heading: 'reason' },
      { heading: 'path' },
      { heading: 'size', align: 'right' },
      { heading: 'accepted' },
      { heading: 'item' },
    ],
    found.map((reject) => [
      stripControlCharsInLine(reject.account),
      reject.event_id === null ? '(the list of events)' : stripControlCharsInLine(reject.event_id),
      out.isTerminal ? shortHash(reject.sha256) : reject.sha256,
      reject.reason,
      stripControlCharsInLine(reject.path),
      formatBytes(reject.bytes),
      reject.accepted_at?.slice(0, 10) ?? 'no',
      shorten(stripControlCharsInLine(reject.payload), PAYLOAD_COLUMNS),
    ]),
    { width: out.width, styleHeading: (text) => out.style('bold', text) },
  )
  return `${table}(${formatCount(found.length, 'item')})\n`
}
