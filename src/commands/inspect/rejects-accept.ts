import { commandName } from '../../common/command-name.ts'
import type { Flags } from '../../config/config.ts'
import type { AcceptedReject } from '../../load/state/accepted-rejects.ts'
import { acceptRejectsCall, parseHashPrefix } from '../../mirror/calls/accept-rejects.ts'
import type { Command } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import { writeJson } from '../output/format/json.ts'
import { formatCount } from '../output/format/number.ts'
import { shortHash } from './rejects.ts'

type AcceptFlags = Flags & { readonly json?: true; readonly event?: string; readonly revoke?: true }

export const rejectsAccept: Command<AcceptFlags> = async (context) => {
  const { flags, operands, terminal } = context
  const revokes = flags.revoke ?? false
  const prefixes = operands.map(parseHashPrefix)
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

function describe(changed: readonly AcceptedReject[], revokes: boolean): string {
  const lines = changed.map(
    ({ account, event_id, sha256 }) =>
      `  ${shortHash(sha256)} ${event_id === null ? 'in the list of events' : `of event ${stripControlCharsInLine(event_id)}`}, account ${stripControlCharsInLine(account)}\n`,
  )
  const count = formatCount(changed.length, 'item')
  const head = revokes
    ? `No longer accepted: ${count}, a cause for exit 8 again where the service still has it.\n`
    : `Accepted: ${count}, listed by ${commandName()} rejects, but no cause for exit 8 until the item changes.\n`
  return head + lines.join('')
}
