import { commandName } from '../command-name.ts'
import type { Flags } from '../config.ts'
import type { Transaction } from '../db/transaction.ts'
import { UsageError } from '../errors.ts'
import { createKey } from '../service/keys/create.ts'
import type { Command } from './context.ts'
import { instantOf } from './instant.ts'
import { meantAccount } from './known-account.ts'
import { changeMirror } from './mirror.ts'
import type { Moment } from './moment.ts'
import { cleanLine } from './print/clean.ts'
import { writeJson } from './print/json.ts'

type CreateFlags = Flags & { readonly json?: true; readonly label?: string; readonly expires?: Moment }

/** Makes a key and prints it, alone on stdout: the only time that anyone sees it. */
export const keysCreate: Command<CreateFlags> = async (context) => {
  const { flags, terminal } = context
  const made = await changeMirror(context, (database, config) =>
    database.transaction(async (trx) => {
      const account = await meantAccount(trx, config.account)
      const expiresAt = flags.expires === undefined ? null : await futureInstant(trx, flags.expires)
      const { id, key } = await createKey(trx, { account, label: flags.label ?? null, expiresAt })
      return { id, key, account, expiresAt }
    }),
  )
  terminal.conceal(made.key)
  if (flags.json) await writeJson(terminal.out, { id: made.id, key: made.key })
  else {
    // First what it is: should the key itself not be written, it is known which one to take back.
    await terminal.err.write(describe(made))
    await terminal.out.write(`${made.key}\n`)
  }
  return 0
}

/** @throws UsageError when the moment is past. */
async function futureInstant(trx: Transaction, moment: Moment): Promise<string> {
  const { instant, now, is_past } = await instantOf(trx, moment)
  if (!is_past) return instant
  throw new UsageError(
    `--expires ${instant} is past: the clock of the database says ${now}. Name a moment to come: ` +
      'a date (midnight in UTC), an instant like 2030-01-01T12:00:00Z, or a time from now like 90d.',
  )
}

interface Made {
  readonly id: number
  readonly account: string
  readonly expiresAt: string | null
}

function describe({ id, account, expiresAt }: Made): string {
  const end = expiresAt === null ? '' : ` until ${expiresAt}`
  return (
    `Key ${id} opens account ${cleanLine(account)}${end} to whoever sends it as X-API-Key. ` +
    `It is shown this once; ${commandName()} keys revoke ${id} takes it back.\n`
  )
}
