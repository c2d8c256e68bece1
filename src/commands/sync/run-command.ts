/** What `sync` and `backfill` share: settings in, a run of the library, progress and report out. */
import type { Flags, ServiceConfig } from '../../config/config.ts'
import { outcomeOf } from '../../common/schema/run-report.ts'
import { HeadcountError } from '../../common/errors.ts'
import { exitCodeOfRun } from '../exit-codes.ts'
import type { Logger, PooledRunOptions, RunMode, RunOptions, RunReport } from '../../index.ts'
import type { Context } from '../cli/context.ts'
import { openLog, type Log } from '../open-log.ts'
import { notifyAfterRun } from './companions/notice-of-run.ts'
import { selectAccounts } from './accounts/select-accounts.ts'
import { resultFormat, writeDocument, type ResultFlags } from './accounts/result-writer.ts'
import { confirmingAccount } from './confirm-new-account.ts'
import { showsProgress } from '../terminal/logger.ts'
import {
  openBar,
  openLines,
  runProgress,
  type ProgressDisplay,
  type ProgressForm,
} from '../terminal/progress.ts'
import type { Output, Terminal } from '../terminal/terminal.ts'

/** Flags of both commands, besides the settings. */
export type RunFlags = Flags &
  ResultFlags & {
    readonly event?: readonly string[]
    readonly force?: true
    readonly quiet?: true
  }

type Run = (options: RunOptions) => Promise<RunReport>

/** Runs `sync` or `backfill` of the library; `options` are those that only one of them has. */
export async function runSync(
  context: Context<RunFlags>,
  loadRun: () => Promise<Run>,
  options: OwnOptions = {},
  mode: RunMode = 'sync',
): Promise<number> {
  const selected = await selectAccounts(context.flags)
  if (selected.kind === 'all') {
    const { runAllAccounts } = await import('./accounts/run-all-accounts.ts')
    return runAllAccounts(context, selected.accounts, mode, options)
  }
  const { config } = selected
  return confirmingAccount(context, config.newAccount, (createAccount) =>
    runOnce(context, config, loadRun, { ...options, createAccount }),
  )
}

export type OwnOptions = Pick<
  RunOptions,
  'all' | 'acceptDeletions' | 'applyToHistory' | 'adopt' | 'restart' | 'dryRun' | 'createAccount'
>

async function runOnce(
  { flags, terminal, signal }: Context<RunFlags>,
  config: ServiceConfig,
  loadRun: () => Promise<Run>,
  options: OwnOptions,
): Promise<number> {
  const format = resultFormat(flags)
  const { display, ...log } = await openDisplay(config, terminal, runProgress)
  const run = await loadRun()
  const ran = async () => {
    using shown = display
    return await run({
      ...runOptions(config),
      ...options,
      ...(flags.event !== undefined && { events: flags.event }),
      force: flags.force ?? false,
      signal,
      ...log,
      onProgress: (progress) => shown.show(progress),
    })
  }
  let report: RunReport
  try {
    const running = ran()
    try {
      report = await reported(running, config, log.logger, terminal.err)
    } finally {
      if (flags.event === undefined) await notifyAfterRun(running, config, { ...log, signal })
    }
  } catch (error) {
    if (format !== null && error instanceof HeadcountError && error.report !== undefined) {
      await writeDocument(terminal.out, error.report, format)
    }
    throw error
  }
  if (format !== null) await writeDocument(terminal.out, report, format)
  else if (report.plan) {
    const { formatPlan } = await import('../output/change-plan.ts')
    await terminal.out.write(formatPlan(report.plan, terminal.out))
  }
  return exitCodeOfRun(report.status)
}

/** The settings in the form that a run takes them. */
export function runOptions(config: ServiceConfig): RunOptions {
  return { database: config.database.target, ...pooledRunOptions(config) }
}

/** The same without the database, which the runs of a pool share. */
export function pooledRunOptions({
  service,
  account,
  newAccount,
  personKey,
  run,
}: ServiceConfig): PooledRunOptions {
  return {
    ...(account !== null && { account }),
    createAccount: newAccount,
    apiKey: service.apiKey,
    ...(personKey !== null && { personKey }),
    baseUrl: service.baseUrl.href,
    allowHttp: service.allowHttp,
    ...(service.proxy !== null && { proxy: service.proxy.href }),
    concurrency: run.concurrency,
    requestTimeoutMs: run.requestTimeoutMs,
    ...(run.runTimeoutMs !== null && { runTimeoutMs: run.runTimeoutMs }),
    maxBodyBytes: run.maxBodyBytes,
    maxStalenessMs: run.maxStalenessMs,
    holdForMs: run.holdForMs,
    ...(run.forgetAfterMs !== null && { forgetAfterMs: run.forgetAfterMs }),
    leaveOut: run.leaveOut,
    pseudonymise: run.pseudonymise,
  }
}

/** A bar where people look; lines of log everywhere else, and where only failures are wanted neither. */
export async function openDisplay<P>(
  config: ServiceConfig,
  terminal: Terminal,
  form: ProgressForm<P>,
): Promise<Log & { readonly display: ProgressDisplay<P> }> {
  const { err } = terminal
  if (err.isTerminal && showsProgress(config) && config.logFormat !== 'json') {
    const display = await openBar(err, form)
    return { display, ...(await openLog(config, terminal, (text) => display.writeAbove(text))) }
  }
  const log = await openLog(config, terminal)
  // In prose the message says all that the fields do.
  const isProse = config.logFormat !== 'json'
  const display = openLines(err, form, (fields, message) => log.logger.info(isProse ? {} : fields, message))
  return { display, ...log }
}

/** The report of a run, for people or as a line of log. */
export function reported(
  running: Promise<RunReport>,
  ...to: [Pick<ServiceConfig, 'logFormat' | 'logLevel'>, Logger, Output]
): Promise<RunReport> {
  return withReport(running, (report) => announce(report, ...to))
}

/** A run whose report is told, also when it ended in the middle: what it read until then is stored. */
export async function withReport(
  running: Promise<RunReport>,
  tell: (report: RunReport) => Promise<void>,
): Promise<RunReport> {
  try {
    const report = await running
    await tell(report)
    return report
  } catch (error) {
    const report = error instanceof HeadcountError ? error.report : undefined
    if (report !== undefined && report.events.due > 0) await tell(report)
    throw error
  }
}

/** For people. With `--quiet` only when there is something to do; one line where logs are asked for. */
async function announce(
  report: RunReport,
  config: Pick<ServiceConfig, 'logFormat' | 'logLevel'>,
  logger: Logger,
  err: Output,
): Promise<void> {
  const isGood = report.status === 'succeeded'
  if (config.logFormat === 'json') {
    const { plan: _, ...told } = report
    const what = report.dry_run ? `dry run of ${report.mode}` : report.mode
    logger[isGood ? 'info' : 'warn']({ report: told }, `${what} ${outcomeOf(report)}`)
  } else if (!isGood || showsProgress(config)) {
    const { formatReport } = await import('../output/run-report.ts')
    await err.write(formatReport(report, err))
  }
}
