import type { Flags } from '../../config/config.ts'
import type { Command } from '../cli/context.ts'
import { requireAccount } from '../../mirror/resolve-account.ts'
import { readAccountObservations } from '../../mirror/observations/observed-account.ts'
import { withMirrorReadOnly } from '../open-mirror.ts'
import { formatObservations } from '../output/observations.ts'
import { writeJson } from '../output/format/json.ts'

type ObservationsFlags = Flags & { readonly json?: true }

export const observations: Command<ObservationsFlags> = async (context) => {
  const { flags, terminal } = context
  const accounts = await withMirrorReadOnly(context, async (database, { account }) => {
    await requireAccount(database, account)
    return database.transaction((trx) => readAccountObservations(trx, account), { readOnly: true })
  })
  if (flags.json) await writeJson(terminal.out, { accounts })
  else await terminal.out.write(formatObservations(accounts, terminal.out))
  return 0
}
