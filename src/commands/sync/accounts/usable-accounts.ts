/** What a worker goes by: the accounts of the files that can be used now. */
import { ConfigurationError } from '../../../common/errors.ts'
import { nameSome } from '../../../common/text/name-some.ts'
import { faultyEntries, type AccountConfig } from '../../../config/accounts/account-config.ts'
import type { AccountsReader } from '../../../config/accounts/accounts-reader.ts'
import type { Accounts } from '../../../config/accounts/read-accounts.ts'
import type { Logger } from '../../../index.ts'
import { noteListedAccounts } from '../../../telemetry/account-figures.ts'

export interface UsableAccounts {
  readonly accounts: readonly AccountConfig[]
  /** Where something keeps an entry, or the whole file, from being used: one text for each, without what stands there. */
  readonly faults: readonly string[]
}

type ByName = ReadonlyMap<string, AccountConfig>

/**
 * What the files say now. An account whose entry became faulty goes on with what was valid. A fault is logged once, until it is
 * another.
 *
 * @returns a function that gives null when nothing changed, and throws a ConfigurationError when no account can be used at its
 * first call
 */
export function usableAccounts(
  reader: AccountsReader,
  { redact, logger }: { readonly redact: (account: AccountConfig) => void; readonly logger: Logger },
): () => Promise<UsableAccounts | null> {
  let former: ByName | null = null
  let faults: readonly string[] = []
  let { requestsPerHost } = reader
  /** Also when nothing changed: a run that ended since may have been one of an account that was taken out. */
  const note = () => noteListedAccounts(new Set(former?.keys()), faults.length)
  return async () => {
    const { accounts: found, fault, isNew } = await reader.current()
    if (!isNew) {
      note()
      return null
    }
    const { accounts, logged: ofEntries } = withFormer(found, former)
    // guard: a file that cannot be read
    const ofAccounts = fault === null ? ofEntries : [ofFile(fault)]
    // guard: nothing is read any more
    const logged = ofAccounts.length === 0 && accounts.size === 0 ? [ofNone(found)] : ofAccounts
    const current = logged.map((one) => one.fault)
    if (former === null && accounts.size === 0) throw new ConfigurationError(current)
    for (const { message } of logged.filter((one) => !faults.includes(one.fault))) logger.error({}, message)
    if (logged.length === 0 && faults.length > 0) logger.info({}, 'the accounts file has no fault any more')
    faults = current
    for (const account of accounts.values()) redact(account)
    if (former !== null) logChange(logger, former, accounts)
    if (found.requestsPerHost !== requestsPerHost) {
      requestsPerHost = found.requestsPerHost
      logBound(logger, reader.requestsPerHost, requestsPerHost)
    }
    former = accounts
    note()
    return {
      accounts: [...accounts.values()],
      // guard: health without secrets
      faults: logged.map(({ place }) => place),
    }
  }
}

/** So many, and so large a share, are hardly taken out at once on purpose: the file may be cut off, or half written. */
const MIN_NOTABLE = 2
const NOTABLE_SHARE = 1 / 10

/** Accounts that a line of the log names. */
const MAX_NAMED = 10

interface LoggedFault {
  /** For whoever may ask for the health, without a key: what is wrong there may be a part of one. */
  readonly place: string
  readonly fault: string
  /** As it is logged. */
  readonly message: string
}

const ofFile = ({ message: fault, faults: [first = ''] }: ConfigurationError): LoggedFault => ({
  place: /^.+?:\d+:\d+(?=: )/.exec(first)?.[0] ?? 'it cannot be read',
  fault,
  message: `the accounts cannot be read anew, and stay as they were: ${fault}`,
})

/** As when the one that `--account` asks for is taken out, or renamed. */
function ofNone({ from }: Accounts): LoggedFault {
  const fault = `${from} has no account`
  return { place: fault, fault, message: `nothing is read any more: ${fault}` }
}

/** A text that is another one when a setting of the account is. */
export function settingsVersion(config: AccountConfig): string {
  // A line that is added to the file moves the entries below it, and changes none of them.
  const { entry: _, service, ...settings } = config
  const { apiKeyFrom: __, ...remote } = service
  return JSON.stringify([settings, remote])
}

function logChange(logger: Logger, former: ByName, now: ByName): void {
  const added = [...now.keys()].filter((name) => !former.has(name))
  const removed = [...former.keys()].filter((name) => !now.has(name))
  const changed = [...now].flatMap(([name, config]) => {
    const before = former.get(name)
    return before === undefined || settingsVersion(before) === settingsVersion(config) ? [] : name
  })
  if (added.length + changed.length + removed.length === 0) return
  const counted = (names: readonly string[], what: string) =>
    `${names.length} ${what}${names.length === 0 ? '' : ` (${nameSome(names, MAX_NAMED)})`}`
  const words = `the accounts changed: ${counted(added, 'new')}, ${counted(changed, 'changed')}, ${counted(removed, 'removed')}`
  // guard: many accounts removed at once
  if (removed.length < Math.max(MIN_NOTABLE, former.size * NOTABLE_SHARE)) return logger.info({}, words)
  const many = `${removed.length} of ${former.size} are not listed any more, and no longer read: see whether the whole list is there`
  logger.warn({ removed: removed.length, accounts: now.size }, `${words}. ${many}`)
}

/** What is learned of a service goes by the bound that its first run had. */
function logBound(logger: Logger, used: number, now: number): void {
  if (used === now) return
  const words = `concurrency is ${now} for all accounts now: a run has no more, but all runs together still send up to ${used} requests to one host at once. Start the worker anew to change that`
  logger.warn({ concurrency: now, requests_per_host: used }, words)
}

/** Those that can be used, and those that could be used before their entry became faulty. */
function withFormer(
  found: Accounts,
  former: ByName | null,
): { readonly accounts: ByName; readonly logged: LoggedFault[] } {
  const accounts = new Map(found.accounts.map((account) => [account.account, account]))
  const logged: LoggedFault[] = []
  for (const { name, place, messages } of faultyEntries(found.faults)) {
    const known = name === null || accounts.has(name) ? undefined : former?.get(name)
    // guard: entry that became faulty
    if (known !== undefined) accounts.set(known.account, known)
    const goesOn =
      known === undefined ? '' : '. The account goes on with its former settings until the entry is mended'
    const fault = messages.join('; ')
    const shown = name === null ? place : `${place} (account ${name})`
    const message = `an entry of the accounts cannot be used: ${fault}${goesOn}`
    logged.push({ place: shown, fault, message })
  }
  return { accounts, logged }
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
