/** What a worker goes by: the accounts of the files that can be used now. */
import { ConfigurationError } from '../../../common/errors.ts'
import type { AccountConfig } from '../../../config/accounts/account-config.ts'
import type { AccountsReader } from '../../../config/accounts/accounts-reader.ts'
import type { Logger } from '../../../index.ts'

export interface UsableAccounts {
  readonly accounts: readonly AccountConfig[]
  /** What keeps entries, or the whole file, from being used. */
  readonly faults: readonly string[]
}

export interface Following {
  readonly redact: (account: AccountConfig) => void
  readonly logger: Logger
}

/**
 * What the files say now. An account whose entry became faulty goes on with what was valid.
 *
 * @returns a function that gives null when nothing changed, and throws a ConfigurationError when no account can be used at its
 * first call
 */
export function usableAccounts(
  reader: AccountsReader,
  { redact, logger }: Following,
): () => Promise<UsableAccounts | null> {
  let former: ReadonlyMap<string, AccountConfig> | null = null
  return async () => {
    const { accounts: found, fault, isNew } = await reader.current()
    if (!isNew) return null
    const now = new Map(found.accounts.map((account) => [account.account, account]))
    for (const { name, message } of found.faults) {
      const known = name === null || now.has(name) ? undefined : former?.get(name)
      // guard: entry that became faulty
      if (known !== undefined) now.set(known.account, known)
      const goesOn = known === undefined ? '' : ' Until then the account goes on with its former settings.'
      logger.error({}, `an entry of the accounts cannot be used: ${message}.${goesOn}`)
    }
    const faults = found.faults.map(({ message }) => message)
    if (fault !== null) {
      faults.push(fault.message)
      logger.error({}, `the accounts cannot be read anew, and stay as they were: ${fault.message}`)
    }
    if (former === null && now.size === 0)
      throw new ConfigurationError(faults.length > 0 ? faults : [`${found.from} has no account`])
    for (const account of now.values()) redact(account)
    former = now
    return { accounts: [...now.values()], faults }
  }
}

/** With `--account` (HEADCOUNT_ACCOUNT), the one of this name. */
export function onlyNamed(reader: AccountsReader, name: string | null): AccountsReader {
  if (name === null) return reader
  return {
    ...reader,
    current: async () => {
      const { accounts, ...found } = await reader.current()
      const isNamed = (account: string | null) => account === name
      return {
        ...found,
        accounts: {
          ...accounts,
          from: `${accounts.from}, of which --account (HEADCOUNT_ACCOUNT) asks for ${JSON.stringify(name)},`,
          accounts: accounts.accounts.filter(({ account }) => isNamed(account)),
          faults: accounts.faults.filter((fault) => isNamed(fault.name)),
        },
      }
    },
  }
}
