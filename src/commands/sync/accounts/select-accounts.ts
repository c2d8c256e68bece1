/** Which accounts a command is for: the one of the environment, one of an accounts file, or all of it. */
import { didYouMean } from '../../../common/text/did-you-mean.ts'
import { ConfigurationError, UsageError } from '../../../common/errors.ts'
import { nameSome } from '../../../common/text/name-some.ts'
import { formatNumber } from '../../../common/text/number.ts'
import type { AccountConfig } from '../../../config/accounts/account-config.ts'
import { readAccounts, type Accounts } from '../../../config/accounts/read-accounts.ts'
import { readConfig, readServiceConfig, type Flags, type ServiceConfig } from '../../../config/config.ts'
import type { Environment } from '../../../config/secrets.ts'

export type SelectedAccounts =
  | { readonly kind: 'one'; readonly config: ServiceConfig }
  | { readonly kind: 'all'; readonly accounts: Accounts }

/** @throws ConfigurationError; UsageError for an account that the file does not have */
export async function selectAccounts(flags: Flags, environment?: Environment): Promise<SelectedAccounts> {
  const accounts = await readAccounts(flags, environment)
  if (accounts === null) return { kind: 'one', config: await readServiceConfig(flags, environment) }
  const { account } = await readConfig(flags, environment)
  if (account !== null) return { kind: 'one', config: requireListed(accounts, account) }
  firstOf(accounts)
  return { kind: 'all', accounts }
}

/** @throws UsageError, ConfigurationError when its entry cannot be used */
export function requireListed({ accounts, faults, from }: Accounts, name: string): ServiceConfig {
  const found = accounts.find(({ account }) => account === name)
  if (found !== undefined) return found
  const own = faults.filter((fault) => fault.name === name)
  if (own.length > 0) throw new ConfigurationError(own.map(({ message }) => message))
  const names = accounts.map(({ account }) => account)
  throw new UsageError(
    `${from} has no account ${JSON.stringify(name)}${didYouMean(name, names)}; it has ${names.length === 0 ? 'none that can be used' : nameSome(names, MAX_SHOWN)}. ` +
      'Check --account (HEADCOUNT_ACCOUNT), or leave it out for all accounts.',
  )
}

/** A file may have thousands of entries. */
const MAX_SHOWN = 10

export function shownFaults({ faults, from }: Pick<Accounts, 'faults' | 'from'>): readonly string[] {
  const shown = faults.slice(0, MAX_SHOWN).map(({ message }) => message)
  const more = faults.length - shown.length
  return more > 0 ? [...shown, `${from}: and ${formatNumber(more)} more`] : shown
}

/** Of a flag that answers what one account showed, or names something of it. @throws UsageError */
export function requireOneAccount(
  flags: Flags,
  names: readonly (readonly [member: string, flag: string])[],
): void {
  for (const [member, flag] of names) {
    if (flags[member] === undefined) continue
    throw new UsageError(`${flag} is for one account, and the file has several: name it with --account`)
  }
}

/** What is the same for all is read off it. @throws ConfigurationError when no entry can be used */
export function firstOf({
  accounts: [first],
  ...others
}: Pick<Accounts, 'accounts'> & Partial<Accounts>): AccountConfig {
  if (first !== undefined) return first
  throw new ConfigurationError(shownFaults({ faults: [], from: '', ...others }))
}

/** The account of a command that can have only one. @throws as selectAccounts; UsageError when a file has several and none is named */
export async function oneAccount(flags: Flags): Promise<ServiceConfig> {
  const selected = await selectAccounts(flags)
  if (selected.kind === 'one') return selected.config
  throw new UsageError(
    `This is for one account, and ${selected.accounts.from} has several: name it with --account, or run worker for all.`,
  )
}
