/** `doctor` of all accounts of a file: what they share once, then the key of each. */
import pLimit from 'p-limit'
import { raceAbort } from '../../../common/abort.ts'
import { formatCount } from '../../../common/text/number.ts'
import type { Database } from '../../../db/connect.ts'
import { CONNECTIONS_PER_RUN } from '../../../db/database.ts'
import type { Accounts } from '../../../config/accounts/read-accounts.ts'
import type { Context } from '../../cli/context.ts'
import { worstExitCode } from '../../exit-codes.ts'
import { examineDatabase, examineOthers, noSettings, type DoctorFlags } from '../../maintain/doctor.ts'
import { failed, ok, USAGE, type Check, type CheckResult } from '../../maintain/doctor/check.ts'
import { checkConnections } from '../../maintain/doctor/connection-check.ts'
import {
  examineHost,
  sumOfHosts,
  sumOfMirrors,
  type AccountChecks,
} from '../../maintain/doctor/host-checks.ts'
import { checkKeyFiles } from '../../maintain/doctor/key-files-check.ts'
import { checkMirror, checkNames, noMirror, type AskService } from '../../maintain/doctor/mirror-check.ts'
import { recordChecks, type RecordCheck } from '../../maintain/doctor/record-checks.ts'
import { withSource } from '../../maintain/doctor/service-checks.ts'
import { checkSpace } from '../../maintain/doctor/space-check.ts'
import { redactSecrets } from '../../open-log.ts'
import { faultyResults, type AccountResult } from './account-result.ts'
import { resultFormat, writeDocument } from './result-writer.ts'
import { firstOf, shownFaults } from './select-accounts.ts'

const HOSTS_AT_ONCE = 8
/** No more than a run has connections: a role may be bound to these. */
const MIRRORS_AT_ONCE = CONNECTIONS_PER_RUN

export async function doctorOfAccounts(
  { flags, terminal, signal }: Context<DoctorFlags>,
  accounts: Accounts,
): Promise<number> {
  const format = resultFormat(flags)
  const { checks, record } = recordChecks(format === null ? terminal.out : null)
  for (const config of accounts.accounts) redactSecrets(config, terminal)
  const examined = await raceAbort(examine(accounts, { record, signal, err: terminal.err }), signal)
  const results = [...faultyResults(accounts.faults), ...examined.map(resultOf)]
  const code = worstExitCode([...checks, ...results].map(({ exit_code }) => exit_code ?? 0))
  if (format === 'json')
    await writeDocument(terminal.out, { ok: code === 0, checks, accounts: results }, format)
  if (format === 'ndjson') {
    const shared = {
      account: null,
      exit_code: worstExitCode(checks.map(({ exit_code }) => exit_code ?? 0)),
      error: null,
    }
    for (const result of [{ ...shared, ok: shared.exit_code === 0, checks }, ...results])
      await writeDocument(terminal.out, result, format)
  }
  return code
}

interface Examining {
  readonly record: RecordCheck
  readonly signal: AbortSignal
  readonly err: Parameters<typeof examineDatabase>[1]
}

async function examine(
  listed: Accounts,
  { record, signal, err }: Examining,
): Promise<readonly AccountChecks[]> {
  const { accounts } = listed
  await record('configuration', checkFile(listed))
  await record('key files', await checkKeyFiles(accounts))
  const byOrigin = Map.groupBy(accounts, ({ service }) => service.baseUrl.origin)
  const limit = pLimit(HOSTS_AT_ONCE)
  const hosts = await limit.map([...byOrigin.values()], (own) => examineHost(own, signal))
  for (const { name, ...finding } of sumOfHosts(hosts)) await record(name, finding)
  const config = firstOf(listed)
  const asked = hosts.flatMap((host) => host.accounts)
  let examined: readonly AccountChecks[] = asked.map((one) => withMirror(one, noMirror))
  await examineDatabase(config, err, record, async (database, schema) => {
    await record('accounts', await checkNames(database, accounts))
    await record('connections', await checkConnections(database, config.pool, accounts.length))
    if (schema.state !== 'failed') examined = await examineMirrors(database, asked, signal)
  })
  for (const { name, ...finding } of sumOfMirrors(examined)) await record(name, finding)
  await examineOthers(config, signal, record)
  await record('free space', await checkSpace(config.database.target))
  return examined
}

/** A few at once. Where one may be another account its event list is read: one at a time, for a service bounds requests. */
async function examineMirrors(
  database: Database,
  accounts: readonly AccountChecks[],
  signal: AbortSignal,
): Promise<readonly AccountChecks[]> {
  const [limit, oneList] = [pLimit(MIRRORS_AT_ONCE), pLimit(1)]
  return limit.map(accounts, async (one) => {
    const { checks, config, ping } = one
    const hasSettings = checks.every(({ name, state }) => name !== 'settings' || state === 'ok')
    if (!hasSettings) return withMirror(one, noSettings)
    const ask: AskService = (work) => oneList(() => withSource(config, { signal }, work))
    return withMirror(one, await checkMirror(database, config, ping, ask))
  })
}

function withMirror(one: AccountChecks, mirror: CheckResult): AccountChecks {
  const exit_code = one.exit_code === 0 ? (mirror.exit_code ?? 0) : one.exit_code
  return { ...one, exit_code, checks: [...one.checks, { name: 'mirror', ...mirror }] }
}

function checkFile(listed: Accounts): CheckResult {
  const count = `${formatCount(listed.accounts.length, 'account')} in ${listed.from}`
  if (listed.faults.length === 0) return ok(count)
  return failed(USAGE, [`${count}, and some that cannot be used:`, ...shownFaults(listed)].join('\n'))
}

interface DoctorResult extends AccountResult {
  readonly ok: boolean
  readonly checks: readonly Check[]
}

function resultOf({ account, exit_code, checks }: AccountChecks): DoctorResult {
  return { account, exit_code, error: null, ok: exit_code === 0, checks }
}
