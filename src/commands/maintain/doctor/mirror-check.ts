/** Whether the next run of an account goes on with the mirror's, or is refused. */
import type { AccountConfig } from '../../../config/accounts/account-config.ts'
import type { ServiceConfig } from '../../../config/config.ts'
import { UnknownAccountError } from '../../../common/errors.ts'
import { formatCount } from '../../../common/text/number.ts'
import type { Database } from '../../../db/connect.ts'
import { isOfOtherSchema } from '../../../db/errors/sqlstate.ts'
import { accountKeys, findForeignKeys } from '../../../mirror/accounts/foreign-keys.ts'
import type { Source } from '../../../source/api.ts'
import { fetchEventList, identityOf } from '../../../sync/fetch/fetch-events.ts'
import { renameCommand } from '../../../sync/open/find-account.ts'
import { foreseeRefusal, type Foreseen } from '../../../sync/open/foresee-refusal.ts'
import { resolveOptions, type ResolvedOptions } from '../../../sync/options.ts'
import { RunStats } from '../../../sync/run-stats.ts'
import { withNamesOf } from '../../open-log.ts'
import { inFlags } from '../../sync/ask-about-account.ts'
import { runOptions } from '../../sync/run-command.ts'
import { DATABASE, USAGE, failed, failure, ok, skipped, warning, type CheckResult } from './check.ts'
import type { PingResponse } from './service-checks.ts'

const MAX_SHOWN = 5

/** What stands where the database or its schema cannot be used. */
export const noMirror = skipped('needs a mirror that can be read')

/** Asks the service for an account. */
export type AskService = <T>(work: (source: Source) => Promise<T>) => Promise<T>

/** @param ping null: the service did not answer */
export async function checkMirror(
  database: Database,
  config: ServiceConfig,
  ping: PingResponse | null,
  ask: AskService,
): Promise<CheckResult> {
  return withNamesOf(config, async () => {
    try {
      const settings = resolveOptions(runOptions(config))
      const service = ping && {
        identity: identityOf(settings, ping),
        listEvents: () => ask((source) => listEvents(source, settings)),
      }
      return describe(await foreseeRefusal(database, settings, service), settings, ping !== null)
    } catch (error) {
      return failure(error instanceof UnknownAccountError ? inFlags(error) : error, DATABASE)
    }
  })
}

async function listEvents(source: Source, settings: ResolvedOptions): Promise<readonly string[]> {
  const stats = new RunStats(() => {})
  const { ids } = await fetchEventList({ source, settings, stats, initial: { states: new Map() } })
  return ids
}

function describe(
  { account, warnings }: Foreseen,
  settings: Pick<ResolvedOptions, 'account'>,
  isAnswered: boolean,
): CheckResult {
  const name = JSON.stringify(settings.account)
  if (account === 'no_mirror') return skipped('nothing was mirrored yet')
  if (account === 'older') return skipped('needs the schema of this program')
  if (account === 'new') return ok(`account ${name} is new: its first run makes it`)
  if (!isAnswered) return skipped('needs an answer of the service')
  if (warnings.length > 0) return warning(warnings.join('\n'))
  return ok(`account ${name} of the mirror is the one of this key`)
}

/**
 * Whether the mirror has one of the keys under another name: an account that was renamed in the file alone is not read
 * until the mirror has the same name for it.
 */
export async function checkNames(
  database: Database,
  accounts: readonly AccountConfig[],
): Promise<CheckResult> {
  try {
    const renamed = await findForeignKeys(database, accountKeys(accounts))
    if (renamed.length === 0)
      return ok(`of ${formatCount(accounts.length, 'account')} the mirror has no key under another name`)
    const lines = renamed
      .slice(0, MAX_SHOWN)
      .map(
        ({ account, owner }) =>
          `account ${JSON.stringify(account)} of the file has the key of ${JSON.stringify(owner)} of the mirror: ` +
          `if it was renamed, run ${renameCommand(owner, account)}, and until then it is not read`,
      )
    const more = renamed.length - lines.length
    return failed(USAGE, [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'))
  } catch (error) {
    if (isOfOtherSchema(error)) return skipped('no run with this schema has stored a key yet')
    return failure(error, DATABASE)
  }
}
