import { commandName } from '../../common/command-name.ts'
import type { Flags } from '../../config/config.ts'
import { UsageError } from '../../common/errors.ts'
import type { AcceptedReject } from '../../load/state/accepted-rejects.ts'
import { acceptRejectsCall } from '../../mirror/calls/accept-rejects.ts'
import type { Command } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import { writeJson } from '../output/format/json.ts'
import { formatCount } from '../output/format/number.ts'
import { shownSum } from './rejects.ts'

type AcceptFlags = Flags & { readonly json?: true; readonly event?: string; readonly revoke?: true }

/** Fewer digits would soon mean several items. */
const FEWEST_DIGITS = 8

export const rejectsAccept: Command<AcceptFlags> = async (context) => {
  const { flags, operands, terminal } = context
  const revokes = flags.revoke ?? false
  const prefixes = operands.map(readPrefix)
  const changed = await callMirror(context, acceptRejectsCall, ({ account }) => ({
    account,
    event_id: flags.event ?? null,
    prefixes,
    revokes,
  }))
  if (flags.json) await writeJson(terminal.out, revokes ? { revoked: changed } : { accepted: changed })
  else await terminal.err.write(describe(changed, revokes))
  return 0
}

function readPrefix(operand: string): string {
  const prefix = operand.toLowerCase()
  if (/^[0-9a-f]*$/.test(prefix) && prefix.length >= FEWEST_DIGITS && prefix.length <= 64) return prefix
  throw new UsageError(
    `rejects accept: ${JSON.stringify(operand.slice(0, 70))} is no SHA-256 of an item, nor the first ${FEWEST_DIGITS} digits of one or more: ` +
      `${commandName()} rejects shows them`,
  )
}

function describe(changed: readonly AcceptedReject[], revokes: boolean): string {
  const lines = changed.map(
    ({ account, event_id, sha256 }) =>
      `  ${shownSum(sha256)} ${event_id === null ? 'in the list of events' : `of event ${stripControlCharsInLine(event_id)}`}, account ${stripControlCharsInLine(account)}\n`,
  )
  const count = formatCount(changed.length, 'item')
  const head = revokes
    ? `No longer accepted: ${count}, a cause for exit 8 again where the service still has it.\n`
    : `Accepted: ${count}, listed by ${commandName()} rejects, but no cause for exit 8 until the item changes.\n`
  return head + lines.join('')
}
