import { nearestName } from '../../common/text/did-you-mean.ts'
import { settings } from '../../config/settings.ts'
import { UnknownAccountError, UsageError } from '../../common/errors.ts'
import { canAsk, confirm } from '../terminal/confirm.ts'
import { stripControlChars, stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { Terminal } from '../terminal/terminal.ts'

/**
 * Asks whether a run under a name that the mirror does not have is meant.
 *
 * @param terminal null: nobody is to be asked
 * @throws UnknownAccountError where nobody can be asked; UsageError after a no
 */
export async function requireYes(
  error: UnknownAccountError,
  terminal: Terminal | null,
  signal: AbortSignal,
): Promise<void> {
  const unknown = inFlags(error)
  if (terminal === null || !canAsk(terminal)) throw unknown
  await terminal.err.write(`${stripControlChars(unknown.message)}\n`)
  const question = `Mirror a further account, under the name "${stripControlCharsInLine(error.account)}"?`
  if (await confirm(question, terminal, signal)) return
  throw new UsageError('Nothing was written, for the account is not one of the mirror.', { cause: unknown })
}

/** The error of a run as the command line tells it. */
export function inFlags({ account, accounts }: UnknownAccountError): UnknownAccountError {
  const nearest =
    accounts.length > 1
      ? `The nearest name is "${stripControlCharsInLine(nearestName(account, accounts))}". `
      : ''
  const remedy =
    `${nearest}Nothing was written. Check --account (HEADCOUNT_ACCOUNT), or add ${settings.newAccount.flag} ` +
    `(${settings.newAccount.variable}=1) to the first run of a further account.`
  return new UnknownAccountError(account, accounts, remedy)
}
