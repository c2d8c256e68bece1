import { commandName } from '../../common/command-name.ts'
import type { Flags } from '../../config/config.ts'
import { UsageError } from '../../common/errors.ts'
import type { RevokedKey } from '../../mirror/keys/revoke.ts'
import { revokeKeyCall } from '../../mirror/calls/keys.ts'
import type { Command } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import { writeJson } from '../output/format/json.ts'

type RevokeFlags = Flags & { readonly json?: true }

/** Takes a key back. One that was taken back before is no failure: it is as it should be. */
export const keysRevoke: Command<RevokeFlags> = async (context) => {
  const { flags, operands, terminal } = context
  const id = readId(operands[0] ?? '')
  const revoked = await callMirror(context, revokeKeyCall, ({ account }) => ({ id, account }))
  if (flags.json) {
    const { account, revoked_at } = revoked
    await writeJson(terminal.out, { id, account, revoked_at })
  } else await terminal.err.write(describe(revoked))
  return 0
}

/** @throws UsageError that does not repeat the text: it may be the key itself. */
function readId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UsageError(`keys revoke takes the number of a key: ${commandName()} keys list shows it`)
}

function describe({ id, account, label, revoked_at, wasRevoked }: RevokedKey): string {
  const which = `Key ${id}${label === null ? '' : ` (${stripControlCharsInLine(label)})`} of account ${stripControlCharsInLine(account)}`
  return wasRevoked
    ? `${which} was revoked before, at ${revoked_at}.\n`
    : `${which} is revoked: from now on it opens nothing.\n`
}
