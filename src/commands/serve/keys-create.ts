import { commandName } from '../../common/command-name.ts'
import type { Flags } from '../../config/config.ts'
import { createKeyCall, type CreatedKey } from '../../mirror/calls/keys.ts'
import type { Command } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import type { InstantInput } from '../../mirror/instants/moment.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import { writeJson } from '../output/format/json.ts'

type CreateFlags = Flags & { readonly json?: true; readonly label?: string; readonly expires?: InstantInput }

/** Makes a key and prints it, alone on stdout: the only time that anyone sees it. */
export const keysCreate: Command<CreateFlags> = async (context) => {
  const { flags, terminal } = context
  const made = await callMirror(context, createKeyCall, ({ account }) => ({
    account,
    label: flags.label ?? null,
    expires: flags.expires ?? null,
  }))
  terminal.redact(made.key)
  if (flags.json) await writeJson(terminal.out, { id: made.id, key: made.key })
  else {
    // First what it is: should the key itself not be written, it is known which one to take back.
    await terminal.err.write(describe(made))
    await terminal.out.write(`${made.key}\n`)
  }
  return 0
}

function describe({ id, account, expiresAt }: CreatedKey): string {
  const end = expiresAt === null ? '' : ` until ${expiresAt}`
  return (
    `Key ${id} opens account ${stripControlCharsInLine(account)}${end} to whoever sends it as X-API-Key. ` +
    `It is shown this once; ${commandName()} keys revoke ${id} takes it back.\n`
  )
}
