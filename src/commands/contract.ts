import type { Flags } from '../config.ts'
import type { Command } from './context.ts'
import { requireAccount } from './known-account.ts'
import { readContract } from './contract/account.ts'
import { readMirror } from './mirror.ts'
import { formatContract } from './print/contract.ts'
import { writeJson } from './print/json.ts'

type ContractFlags = Flags & { readonly json?: true }

export const contract: Command<ContractFlags> = async (context) => {
  const { flags, terminal } = context
  const accounts = await readMirror(context, async (database, { account }) => {
    await requireAccount(database, account)
    return database.transaction((trx) => readContract(trx, account), { readOnly: true })
  })
  if (flags.json) await writeJson(terminal.out, { accounts })
  else await terminal.out.write(formatContract(accounts, terminal.out))
  return 0
}
