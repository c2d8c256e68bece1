import type { Flags } from '../../config/config.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { setAccountCall } from '../../mirror/calls/set-account.ts'
import type { Command } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeJson } from '../output/format/json.ts'

type SetFlags = Flags & { readonly json?: true; readonly timeZone: string }

/** Sets the time zone of an account. */
export const accountsSet: Command<SetFlags> = async (context) => {
  const { flags, operands, terminal } = context
  const [name = ''] = operands
  const set = await callMirror(context, setAccountCall, () => ({
    account: name,
    time_zone: flags.timeZone,
  }))
  if (flags.json) {
    await writeJson(terminal.out, set)
    return 0
  }
  const { account, time_zone, former_time_zone } = set
  const before = former_time_zone === time_zone ? 'as before' : `${former_time_zone} before`
  await terminal.err.write(
    `Days and months of account ${stripControlCharsInLine(account)} are those of ${time_zone} now (${before}).\n`,
  )
  return 0
}
