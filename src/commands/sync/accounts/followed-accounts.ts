/** The accounts of `worker --queue`: one of the environment, or those of files. */
import pLimit from 'p-limit'
import { keyInFile, type AccountConfig } from '../../../config/accounts/account-config.ts'
import type { AccountsReader } from '../../../config/accounts/accounts-reader.ts'
import { readServiceConfig, type Flags, type ServiceConfig } from '../../../config/config.ts'
import type { Logger } from '../../../index.ts'
import type { QueueAccount } from '../../../orchestration/queue/due-groups.ts'
import { LOOK_FAILED, lookAgain } from '../../../orchestration/schedule/accounts/look-again.ts'
import { DEFAULT_ACCOUNT } from '../../../sync/open/find-account.ts'
import { logTo } from '../../../sync/options.ts'
import type { Context } from '../../cli/context.ts'
import { redactSecrets } from '../../open-log.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { renewedKeys } from './renewed-keys.ts'
import { onlyNamed, usableAccounts } from './usable-accounts.ts'

export interface FollowedAccounts extends AsyncDisposable {
  readonly requestsPerHost: number
  /** What the queue goes by. */
  readonly current: () => { readonly queued: readonly QueueAccount[]; readonly faults: readonly string[] }
  /** For a run that begins, with the key that its file has now: a retry comes when a key was renewed. undefined: not among the accounts */
  readonly settingsFor: (account: string) => Promise<NamedConfig | undefined>
}

type NamedConfig = ServiceConfig & { readonly account: string }

export function accountOfEnvironment(
  config: ServiceConfig,
  { flags, terminal }: Pick<Context<Flags>, 'flags' | 'terminal'>,
  logger: Logger,
): FollowedAccounts {
  redactSecrets(config, terminal)
  const own = { ...config, account: config.account ?? DEFAULT_ACCOUNT }
  const known = { queued: [queuedOf(own)], faults: [] }
  const renewed = renewedKeys(own, () => readServiceConfig(flags), { terminal, logger })
  return {
    requestsPerHost: config.run.concurrency,
    current: () => known,
    settingsFor: async (account) => (account === own.account ? renewed() : undefined),
    [Symbol.asyncDispose]: async () => {},
  }
}

interface Following {
  /** The one that is asked for; null: all. */
  readonly account: string | null
  readonly terminal: Terminal
  readonly logger: Logger
}

/**
 * The accounts of the files, read anew when they change.
 *
 * @throws ConfigurationError when no account can be used
 */
export async function followAccounts(
  reader: AccountsReader,
  { account, terminal, logger }: Following,
): Promise<FollowedAccounts> {
  const redact = (config: ServiceConfig) => redactSecrets(config, terminal)
  const read = usableAccounts(onlyNamed(reader, account), { redact, logger })
  let configs: ReadonlyMap<string, AccountConfig> = new Map()
  let known: ReturnType<FollowedAccounts['current']> = { queued: [], faults: [] }
  // One after the other: what an earlier one found must not replace what a later one did.
  const limit = pLimit(1)
  const look = () =>
    limit(async () => {
      const found = await read()
      if (found === null) return
      configs = new Map(found.accounts.map((config) => [config.account, config]))
      known = { queued: found.accounts.map(queuedOf), faults: found.faults }
    })
  await look()
  const log = logTo(logger)
  const looking = lookAgain(look, log)
  return {
    requestsPerHost: reader.requestsPerHost,
    current: () => known,
    settingsFor: async (name) => {
      const own = configs.get(name)
      const key = own && (await keyInFile(own.entry))
      // A look asks after the files of all accounts.
      if (own !== undefined && key !== null && key !== own.service.apiKey)
        await look().catch((error: unknown) => log('error', LOOK_FAILED, { err: error }))
      return configs.get(name)
    },
    [Symbol.asyncDispose]: () => looking[Symbol.asyncDispose](),
  }
}

function queuedOf({ account, service, worker }: NamedConfig): QueueAccount {
  return {
    name: account,
    host: service.baseUrl.host,
    schedule: worker.schedule,
    timezone: worker.timezone,
  }
}
