/** A run under a name that the mirror does not have: somebody says that it is no slip, or nothing is written. */
import { settings } from '../config/settings.ts'
import { UnknownAccountError, UsageError } from '../errors.ts'
import { canAsk, confirm } from './confirm.ts'
import type { Context } from './context.ts'
import { nearestName } from './known-account.ts'
import { clean, cleanLine } from './print/clean.ts'

/**
 * Does the work, which may make a further account only when that is `wanted`. When it meets a name that the mirror does
 * not have, it asks on a terminal, and begins anew after a yes: until then it has written nothing.
 *
 * @throws UnknownAccountError
 */
export async function confirmingAccount<T>(
  { terminal, signal }: Pick<Context<unknown>, 'terminal' | 'signal'>,
  wanted: boolean,
  work: (createAccount: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await work(wanted)
  } catch (error) {
    if (!(error instanceof UnknownAccountError)) throw error
    const unknown = inFlags(error)
    if (!canAsk(terminal)) throw unknown
    await terminal.err.write(`${clean(unknown.message)}\n`)
    const question = `Mirror a further account, under the name "${cleanLine(error.account)}"?`
    if (await confirm(question, terminal, signal)) return work(true)
    throw new UsageError('Nothing was written, for the account is not one of the mirror.', { cause: unknown })
  }
}

function inFlags({ account, accounts }: UnknownAccountError): UnknownAccountError {
  const nearest =
    accounts.length > 1 ? `The nearest name is "${cleanLine(nearestName(account, accounts))}". ` : ''
  const remedy =
    `${nearest}Nothing was written. Check --account (HEADCOUNT_ACCOUNT), or add ${settings.newAccount.flag} ` +
    `(${settings.newAccount.variable}=1) to the first run of a further account.`
  return new UnknownAccountError(account, accounts, remedy)
}
