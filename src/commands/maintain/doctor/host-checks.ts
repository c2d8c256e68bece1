/** The services of many accounts: each host once, then the key of each account through one bound on requests. */
import pLimit from 'p-limit'
import type { AccountConfig } from '../../../config/accounts/account-config.ts'
import { nameSome } from '../../../common/text/name-some.ts'
import { formatCount, formatNumber } from '../../../common/text/number.ts'
import { MAX_DEAD_ACCOUNTS } from '../../../orchestration/run-pool/hosts.ts'
import { createHost, type Host } from '../../../source/host.ts'
import {
  UNREACHABLE,
  USAGE,
  failed,
  failure,
  ok,
  skipped,
  warning,
  type Check,
  type CheckResult,
} from './check.ts'
import {
  checkClock,
  checkKey,
  checkList,
  checkName,
  checkTls,
  withSource,
  type PingResponse,
} from './service-checks.ts'
import { resolveOptions } from '../../../sync/options.ts'
import { runOptions } from '../../sync/run-command.ts'

/** What was found of one account. */
export interface AccountChecks {
  readonly account: string
  readonly config: AccountConfig
  /** Null: the service did not answer, or refused the key. */
  readonly ping: PingResponse | null
  /** As a run of the account would end for what was found. */
  readonly exit_code: number
  readonly checks: readonly Check[]
}

export interface HostChecks {
  readonly host: string
  /** What all its accounts have in common. */
  readonly checks: readonly Check[]
  readonly accounts: readonly AccountChecks[]
}

/** @param accounts of one origin, one or more */
export async function examineHost(
  accounts: readonly AccountConfig[],
  signal: AbortSignal,
): Promise<HostChecks> {
  const [first] = accounts
  if (first === undefined) return { host: '', checks: [], accounts: [] }
  const { host: hostName } = first.service.baseUrl
  const name = await checkName(first)
  const tls = name.state === 'ok' ? await checkTls(first, signal) : skipped('needs the name')
  const checks: Check[] = [
    { name: 'name', ...name },
    { name: 'TLS', ...tls },
  ]
  if (name.state === 'failed' || tls.state === 'failed')
    return { host: hostName, checks, accounts: unasked(accounts) }
  const { concurrency } = first.run
  await using host = createHost({
    origin: first.service.baseUrl.origin,
    concurrency,
    requestTimeoutMs: first.run.requestTimeoutMs,
    proxy: first.service.proxy,
    log: () => {},
  })
  const asked = await askAccounts(accounts, host, concurrency, signal)
  return { host: hostName, checks: [...checks, ...asked.checks], accounts: asked.accounts }
}

/** As a run pool does: some accounts show whether the host does not answer, and the others are asked only when one has an answer. */
async function askAccounts(
  accounts: readonly AccountConfig[],
  host: Host,
  concurrency: number,
  signal: AbortSignal,
): Promise<Omit<HostChecks, 'host'>> {
  const limit = pLimit(concurrency)
  const askAll = (some: readonly AccountConfig[]) => limit.map(some, (config) => ask(config, host, signal))
  const answers = await askAll(accounts.slice(0, MAX_DEAD_ACCOUNTS))
  // guard: a host that is down is said once
  if (answers.every(({ key }) => key.exit_code === UNREACHABLE)) {
    const check = failed(UNREACHABLE, `does not answer: ${answers[0]?.key.detail}`)
    return { checks: [{ name: 'service', ...check }], accounts: unasked(accounts) }
  }
  answers.push(...(await askAll(accounts.slice(MAX_DEAD_ACCOUNTS))))
  const accepted = answers.find(({ ping }) => ping !== null)
  const list =
    accepted === undefined
      ? skipped('needs a key that is accepted')
      : await withSource(accepted.config, sourceOptions(host, signal), checkList)
  const clock = accepted?.ping == null ? skipped('needs an answer of the service') : checkClock(accepted.ping)
  return {
    checks: [
      { name: 'list', ...list },
      { name: 'clock', ...clock },
    ],
    accounts: answers.map(({ config, settings, key, ping }) => ({
      account: config.account,
      config,
      ping,
      exit_code: settings.exit_code ?? key.exit_code ?? 0,
      checks: [
        { name: 'settings', ...settings },
        { name: 'key', ...key },
      ],
    })),
  }
}

interface Answer {
  readonly config: AccountConfig
  readonly settings: CheckResult
  readonly key: CheckResult
  readonly ping: PingResponse | null
}

async function ask(config: AccountConfig, host: Host, signal: AbortSignal): Promise<Answer> {
  const settings = checkSettings(config)
  const { finding: key, answer: ping } = await withSource(config, sourceOptions(host, signal), checkKey)
  return { config, settings, key, ping }
}

/** What only a run would find: fields that cannot be left out, pseudonyms without a key. */
function checkSettings(config: AccountConfig): CheckResult {
  try {
    resolveOptions(runOptions(config))
    return ok(config.entry.place)
  } catch (error) {
    return failure(error, USAGE)
  }
}

/** How the accounts of a host are asked: through its one bound on requests. */
const sourceOptions = (host: Host, signal: AbortSignal) => ({ host, signal })

function unasked(accounts: readonly AccountConfig[]): readonly AccountChecks[] {
  return accounts.map((config) => ({
    account: config.account,
    config,
    ping: null,
    exit_code: UNREACHABLE,
    checks: [
      { name: 'settings', ...checkSettings(config) },
      { name: 'key', ...skipped(`needs an answer of ${config.service.baseUrl.host}`) },
    ],
  }))
}

/** Hosts, and accounts, that are told one by one. */
const MAX_TOLD = 10
const MAX_NAMED = 3

/** The checks of all hosts as a few: each that is not well, and how many are. */
export function sumOfHosts(hosts: readonly HostChecks[]): readonly Check[] {
  const [only, ...others] = hosts
  if (only !== undefined && others.length === 0) return [...only.checks, ...keysOf(hosts)]
  const found = hosts.flatMap(({ host, checks }) =>
    checks.map((check) => ({ ...check, detail: `${host}: ${check.detail}` })),
  )
  const summed = [...Map.groupBy(found, ({ name }) => name)].flatMap(([name, own]) => {
    const bad = own.filter(({ state }) => state === 'failed' || state === 'warning')
    const good = own.filter(({ state }) => state === 'ok').length
    const more = bad.length - MAX_TOLD
    return [
      ...bad.slice(0, MAX_TOLD),
      ...(more > 0 ? [{ name, ...warning(`and ${formatCount(more, 'more host')}`) }] : []),
      ...(good > 0 ? [{ name, ...ok(`${formatNumber(good)} of ${formatCount(hosts.length, 'host')}`) }] : []),
    ]
  })
  return [...summed, ...keysOf(hosts)]
}

function keysOf(hosts: readonly HostChecks[]): readonly Check[] {
  const all = checksOf(hosts.flatMap(({ accounts }) => accounts))
  const keys = all.filter(({ name }) => name === 'key')
  const accepted = keys.filter(({ state }) => state === 'ok').length
  const summary = `${formatNumber(accepted)} of ${formatCount(keys.length, 'account')} accepted`
  return [
    ...sumOfFaults('key', all),
    { name: 'keys', ...(accepted === keys.length ? ok(summary) : warning(summary)) },
  ]
}

/** What the mirror says against the next run of each account, as a few checks. */
export function sumOfMirrors(accounts: readonly AccountChecks[]): readonly Check[] {
  const all = checksOf(accounts).filter(({ name }) => name === 'mirror')
  const foreseen = all.filter(({ state }) => state !== 'skipped').length
  const [first] = all
  if (first !== undefined && foreseen === 0) return [{ name: 'mirrors', ...skipped(first.detail) }]
  const refused = all.filter(({ state }) => state === 'failed').length
  const count = formatCount(all.length, 'account')
  const some = foreseen === all.length ? count : `${formatNumber(foreseen)} of ${count}`
  const sum =
    refused > 0
      ? warning(`the next run of ${formatNumber(refused)} of ${count} will be refused`)
      : ok(`the next run of ${some} is not refused by what the mirror has`)
  return [...sumOfFaults('mirror', all), { name: 'mirrors', ...sum }]
}

interface AccountCheck extends Check {
  readonly account: string
}

function checksOf(accounts: readonly AccountChecks[]): readonly AccountCheck[] {
  return accounts.flatMap(({ account, checks }) => checks.map((check) => ({ account, ...check })))
}

/** What is wrong with several accounts in the same words is told once. @param name of the check that says how many more */
function sumOfFaults(name: string, all: readonly AccountCheck[]): readonly Check[] {
  const bad = all.filter(({ state }) => state === 'failed' || state === 'warning')
  const groups = [...Map.groupBy(bad, (check) => `${check.name} ${check.detail}`).values()]
  const told = groups.slice(0, MAX_TOLD).flatMap((own): Check[] => {
    const [first] = own
    if (first === undefined) return []
    const { account: _, ...check } = first
    const names = own.map(({ account }) => account)
    return [{ ...check, detail: `${nameSome(names, MAX_NAMED)}: ${check.detail}` }]
  })
  const left = groups.length - told.length
  return [...told, ...(left > 0 ? [{ name, ...warning(`and ${formatNumber(left)} more: see --json`) }] : [])]
}
