import type { Flags } from '../../config/config.ts'
import type { Command } from '../cli/context.ts'
import { requireAccount } from '../../mirror/accounts/resolve-account.ts'
import { readAccountObservations } from '../../mirror/observations/open-questions.ts'
import { withMirrorReadOnly } from '../open-mirror.ts'
import { formatObservations } from '../output/observations.ts'
import { writeResult } from '../output/format/json.ts'

type ObservationsFlags = Flags & { readonly json?: true }

export const observations: Command<ObservationsFlags> = async (context) => {
  const accounts = await withMirrorReadOnly(context, async (database, { account }) => {
    await requireAccount(database, account)
    return database.transaction((trx) => readAccountObservations(trx, account), { readOnly: true })
  })
  await writeResult(context, { accounts }, (out) => formatObservations(accounts, out))
  return 0
}
