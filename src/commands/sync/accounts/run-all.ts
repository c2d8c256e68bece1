/** A command over all accounts of a file: through one pool of runs, told as they end. */
import { HeadcountError } from '../../../common/errors.ts'
import type { AccountConfig } from '../../../config/accounts/account-config.ts'
import type { Accounts } from '../../../config/accounts/read-accounts.ts'
import type { Flags } from '../../../config/config.ts'
import type { Logger, Progress, RunPool } from '../../../index.ts'
import type { Context } from '../../cli/context.ts'
import { worstExitCode } from '../../exit-codes.ts'
import { withNamesOf } from '../../open-log.ts'
import { openDisplay } from '../run-command.ts'
import type { AccountsProgress } from '../../terminal/accounts-line.ts'
import { accountsProgress, type ProgressDisplay } from '../../terminal/progress.ts'
import { accountLogger } from './account-logger.ts'
import { failedResult, faultyResults, type AccountResult } from './account-result.ts'
import { concludeAccounts, type AccountRow, type Summary } from './accounts-table.ts'
import { openResults, resultFormat, type ResultFlags } from './result-writer.ts'
import { firstOf, shownFaults } from './select-accounts.ts'

/** What a command does for each account. */
export interface AccountsCommand<Document extends object> {
  /** In a word, like `sync`. */
  readonly name: string
  readonly run: (config: AccountConfig, watch: RunWatch, pool: RunPool) => Promise<Document>
  readonly exitCodeOf: (document: Document) => number
  readonly summaryOf: (document: Document) => Summary
  /** Of the column of `changed`. */
  readonly changedHeading: string
  /** When the runs have ended, in their order; never throws. Without it, no report is kept until then. */
  readonly afterwards?: ((ended: readonly EndedRun<Document>[], logger: Logger) => Promise<void>) | undefined
}

export interface EndedRun<Document> {
  readonly config: AccountConfig
  readonly run: Promise<Document>
}

export interface RunWatch {
  readonly signal: AbortSignal
  readonly logger: Logger
  readonly onProgress: (progress: Progress) => void
}

/** @returns the worst exit code of all accounts */
export async function runAll<Document extends object>(
  { flags, terminal, signal }: Context<Flags & ResultFlags>,
  accounts: Accounts,
  command: AccountsCommand<Document>,
): Promise<number> {
  const config = firstOf(accounts)
  for (const { service } of accounts.accounts) terminal.redact(service.apiKey)
  const startedAt = performance.now()
  const { display, logger } = await openDisplay(config, terminal, accountsProgress)
  if (config.logFormat === 'json') for (const fault of shownFaults(accounts)) logger.error({}, fault)
  const results = openResults(terminal.out, resultFormat(flags))
  const rows: AccountRow[] = []
  const finish: Finish = async (result, document, summary) => {
    rows.push({ account: result.account, exitCode: result.exit_code, ...summary })
    await results.write(result, document)
  }
  for (const result of faultyResults(accounts.faults)) await finish(result, null, summaryOfFailure(result))
  const ended = await runEach(accounts, command, { display, logger, signal, finish, rows })
  await results.end()
  await command.afterwards?.(ended, logger)
  const durationMs = performance.now() - startedAt
  await concludeAccounts(command, rows, { durationMs, config, logger, err: terminal.err })
  return worstExitCode(rows.map(({ exitCode }) => exitCode))
}

type Finish = (result: AccountResult, document: object | null, summary: Summary) => Promise<void>

interface Watch {
  readonly display: ProgressDisplay<AccountsProgress>
  readonly logger: Logger
  readonly signal: AbortSignal
  readonly finish: Finish
  /** Of what is done. */
  readonly rows: readonly AccountRow[]
}

async function runEach<Document extends object>(
  { accounts, requestsPerHost }: Pick<Accounts, 'accounts' | 'requestsPerHost'>,
  command: AccountsCommand<Document>,
  { display, logger, signal, finish, rows }: Watch,
): Promise<readonly EndedRun<Document>[]> {
  using shown = display
  const { database, pool: bounds } = firstOf({ accounts })
  const { createRunPool } = await import('../../../index.ts')
  await using pool = createRunPool({
    database: database.target,
    runs: bounds.runs,
    ...(bounds.connections !== null && { connections: bounds.connections }),
    requestsPerHost,
    logger,
    signal,
  })
  const total = rows.length + accounts.length
  let failing = rows.length
  const show = (current: AccountsProgress['current']) =>
    shown.show({ done: rows.length, total, failing, current })
  show(null)
  const runOne = async (config: AccountConfig): Promise<EndedRun<Document> | null> => {
    const { account } = config
    const isProse = config.logFormat !== 'json'
    const watch = {
      signal,
      logger: accountLogger(logger, account, isProse),
      onProgress: ({ events }: Progress) => show({ account, events }),
    }
    const run = withNamesOf(config, () => command.run(config, watch, pool))
    const [result, document, summary] = await outcomeOf(account, run, command)
    if (result.exit_code !== 0) failing += 1
    await finish(result, document, summary)
    return command.afterwards === undefined ? null : { config, run }
  }
  const ended = await Promise.all(accounts.map(runOne))
  return ended.filter((one) => one !== null)
}

async function outcomeOf<Document extends object>(
  account: string,
  run: Promise<Document>,
  command: AccountsCommand<Document>,
): Promise<Parameters<Finish>> {
  try {
    const document = await run
    const result = { account, exit_code: command.exitCodeOf(document), error: null }
    return [result, document, command.summaryOf(document)]
  } catch (error) {
    const result = failedResult(account, error)
    const report = error instanceof HeadcountError ? error.report : undefined
    return [result, report ?? null, summaryOfFailure(result)]
  }
}

function summaryOfFailure({ error }: AccountResult): Summary {
  return {
    outcome: (error?.code ?? 'unexpected').replaceAll('_', ' '),
    changed: null,
    durationMs: null,
    why: error?.message ?? '',
  }
}
