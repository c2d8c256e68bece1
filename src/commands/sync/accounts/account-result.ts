/** What became of one account in a command over many. */
import { HeadcountError, type HeadcountErrorCode } from '../../../common/errors.ts'
import { faultyEntries, type AccountFault } from '../../../config/accounts/account-config.ts'

/** An element of `{"accounts":[…]}` begins with it; what the command tells of one account alone follows. */
export interface AccountResult {
  /** null: of an entry of the file that has no usable name. */
  readonly account: string | null
  /** As the command for this account alone would have ended. */
  readonly exit_code: number
  /** Why there is no document of the command, or one that was cut short; null otherwise. */
  readonly error: { readonly code: HeadcountErrorCode; readonly message: string } | null
}

export function failedResult(account: string, error: unknown): AccountResult {
  if (error instanceof HeadcountError)
    return { account, exit_code: error.exitCode, error: { code: error.code, message: error.message } }
  const message = error instanceof Error ? error.message : String(error)
  return { account, exit_code: 1, error: { code: 'unexpected', message } }
}

/** One result for each entry that cannot be used. */
export function faultyResults(faults: readonly AccountFault[]): readonly AccountResult[] {
  return faultyEntries(faults).map(({ name, messages }) => ({
    account: name,
    exit_code: 2,
    error: { code: 'configuration', message: messages.join('\n') },
  }))
}
