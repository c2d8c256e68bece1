import type { Flags } from '../../config/config.ts'
import { parseNewName, renameAccount } from '../../mirror/accounts/rename.ts'
import type { Command } from '../cli/context.ts'
import { withMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'

/** Calls an account by another name, while no run holds it. */
export const accountsRename: Command<Flags> = async (context) => {
  const { operands, terminal, signal } = context
  const [from = '', to = ''] = operands
  const name = parseNewName(to)
  await withMirror(context, (database) => renameAccount(database, { from, to: name, signal }))
  await terminal.err.write(
    `Account ${stripControlCharsInLine(from)} is ${stripControlCharsInLine(name)} now, with its runs and keys. Change --account and HEADCOUNT_ACCOUNT ` +
      'where it is mirrored from (cron, services): its former name is none of this mirror any more.\n',
  )
  return 0
}
