/** The key of the suppression list of one account, for a command that is no run of it. */
import { ConfigurationError } from '../../common/errors.ts'
import type { Config, Flags } from '../config.ts'
import type { Environment } from '../secrets.ts'
import { readAccounts } from './read-accounts.ts'

/**
 * The key that the next run of the account has: where an accounts file names one, who is erased with another key makes the run be refused.
 *
 * @returns null where there is none
 * @throws ConfigurationError when neither the file nor the environment gives a key that can be used
 */
export async function personKeyOfAccount(
  account: string,
  flags: Flags,
  { personKey }: Pick<Config, 'personKey'>,
  environment?: Environment,
): Promise<string | null> {
  const listed = await readAccounts(flags, environment).catch((error: unknown) => {
    // Nobody waits for an erasure until the file is mended.
    if (personKey === null || !(error instanceof ConfigurationError)) throw error
    return null
  })
  const entry = listed?.accounts.find((one) => one.account === account)
  // guard: key of an entry
  if (entry !== undefined) return entry.personKey
  const faults = listed?.faults.filter(({ name }) => name === account) ?? []
  if (personKey === null && faults.length > 0)
    throw new ConfigurationError(faults.map(({ message }) => message))
  return personKey
}
