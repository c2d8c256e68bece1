/** What became of one account in a command over many. */
import { toError } from '../../../common/abort.ts'
import { HeadcountError, type HeadcountErrorCode } from '../../../common/errors.ts'
import { stripControlCharsInLine } from '../../../common/text/strip-control-chars.ts'
import { shorten } from '../../../common/text/fit-text.ts'
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
  const message = toError(error).message
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

/** Lines of a message as one, of so many columns at most: each is cut by itself, so that a long one hides no other. */
export function shortenLines(message: string, columns: number): string {
  const lines = message.split('\n').map(stripControlCharsInLine)
  const room = Math.max(MIN_LINE, Math.floor(columns / lines.length) - SEPARATOR.length)
  const shown = lines.length === 1 ? lines : lines.map((line) => shorten(line, room))
  return shorten(shown.join(SEPARATOR), columns)
}

const SEPARATOR = '; '
/** Enough for the place of a fault and its beginning. */
const MIN_LINE = 60
