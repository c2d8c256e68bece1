import { requireWholeNumber } from '../../common/options/amounts.ts'
import { safeCallback, withoutRejections } from '../../common/options/callbacks.ts'
import { checkOptions } from '../../common/options/check-options.ts'
import { InterruptedError, UnreachableError } from '../../common/errors.ts'
import { MAX_CONCURRENCY } from '../../common/parse-values.ts'
import { followAbort, toError, toInterruptedError } from '../../common/abort.ts'
import type { RunReport } from '../../common/schema/tables.ts'
import type { ConnectOptions } from '../../db/connect.ts'
import { targetOf, type DatabaseOptions } from '../../db/target.ts'
import { logTo, resolveOptions, silent, type Logger, type RunOptions } from '../../sync/options.ts'
import { backfill, sync } from '../../sync/run.ts'
import { verify, type VerifyOptions } from '../../sync/verify/verify.ts'
import type { VerifyReport } from '../../sync/verify/report.ts'
import { capacityOf, availableConnections } from './capacity.ts'
import { Hosts } from './hosts.ts'
import { RunTurn } from './run-turn.ts'
import { SharedDatabase } from './shared-database.ts'
import { Turns } from './turns.ts'

const DEFAULT_REQUESTS_PER_HOST = 8

/** What all runs of a pool share. Exactly one of `database`, `pool` and `pglite` must be given. */
export interface RunPoolOptions extends DatabaseOptions {
  /** The most runs at once, up to 256; 4 when not given, or as many as the connections carry. */
  readonly runs?: number
  /** The most connections to Postgres; three for each run when not given. A pool of the caller may have fewer. */
  readonly connections?: number
  /** The most concurrent requests to one service, up to 256; 8 when not given. */
  readonly requestsPerHost?: number
  /** Where runs log to that have no logger of their own, and what is told once for a service. */
  readonly logger?: Logger
  /** Ends every run, and all that wait. */
  readonly signal?: AbortSignal
}

export interface TurnOptions {
  /** Called when the turn of this call has come. */
  readonly onTurn?: () => void
  /**
   * Called with true when the run gives its turn to others, for the service has asked for a pause, and with false when it has
   * a turn again. A run that ends meanwhile is not told of again.
   */
  readonly onSuspend?: (isSuspended: boolean) => void
}

/** The options of a run, but for the database. */
export type PooledRunOptions = Omit<RunOptions, keyof DatabaseOptions | 'host'> & TurnOptions
export type PooledVerifyOptions = Omit<VerifyOptions, keyof DatabaseOptions> & TurnOptions

/** Runs of many accounts in one process, over one database. A call waits for its turn. */
export interface RunPool extends AsyncDisposable {
  /** At most so many runs at once. */
  readonly runs: number
  /** As the function of this name. @throws as it; UnreachableError when the service answers none of its accounts */
  sync(options: PooledRunOptions): Promise<RunReport>
  /** As the function of this name. @throws as sync */
  backfill(options: PooledRunOptions): Promise<RunReport>
  /** As the function of this name. @throws as sync */
  verify(options: PooledVerifyOptions): Promise<VerifyReport>
}

/**
 * A pool of runs: a bounded number at once, one pool of connections, and for each service host one bound on concurrent
 * requests and one learned rate. Turns are fair between hosts and between accounts. A host that does not answer has one
 * run, and after 1.5 s without an answer another one, three at most, until it answers again.
 *
 * @throws UsageError for a wrong option; a pool of the caller must have three connections or more
 */
export function createRunPool(options: RunPoolOptions): RunPool {
  checkOptions(options)
  return new BoundedRuns(options)
}

class BoundedRuns implements RunPool {
  readonly runs: number
  readonly #defaults: Pick<RunOptions, 'concurrency' | 'logger'>
  readonly #signal: AbortSignal | undefined
  readonly #turns: Turns
  readonly #hosts: Hosts
  readonly #database: SharedDatabase
  readonly #ending = new AbortController()
  readonly #underWay = new Set<Promise<void>>()

  constructor(options: RunPoolOptions) {
    const { logger = silent, requestsPerHost = DEFAULT_REQUESTS_PER_HOST } = options
    requireWholeNumber('requestsPerHost', requestsPerHost, 1, MAX_CONCURRENCY)
    const poolSize = options.pool?.options.max
    const capacity = capacityOf({ runs: options.runs, connections: options.connections, poolSize })
    const { runs, connections } = capacity
    this.runs = runs
    this.#defaults = { concurrency: requestsPerHost, logger }
    this.#signal = options.signal
    this.#database = new SharedDatabase(targetOf(options), { connections, log: logTo(logger) })
    this.#turns = new Turns({
      runs,
      stateOf: (host) => this.#hosts.stateOf(host),
      lastFailure: (host, account) => this.#hosts.lastFailure(host, account),
    })
    this.#hosts = new Hosts({ requestsPerHost, logger, onOpen: () => this.#turns.update() })
    logCapacity(options, capacity, logger)
  }

  sync(options: PooledRunOptions): Promise<RunReport> {
    return this.#track(this.#inTurn(options, sync))
  }

  backfill(options: PooledRunOptions): Promise<RunReport> {
    return this.#track(this.#inTurn(options, backfill))
  }

  verify(options: PooledVerifyOptions): Promise<VerifyReport> {
    return this.#track(this.#inTurn(options, (shared) => verify({ ...options, ...shared })))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort(new InterruptedError('The run pool was closed.', 143))
    await Promise.all(this.#underWay)
    await this.#hosts[Symbol.asyncDispose]()
    await this.#database[Symbol.asyncDispose]()
  }

  async #inTurn<Result>(
    options: PooledRunOptions | PooledVerifyOptions,
    run: (options: RunOptions) => Promise<Result>,
  ): Promise<Result> {
    const whole: RunOptions = { ...this.#defaults, ...options, open: this.#database.open }
    const { account, baseUrl, proxy } = resolveOptions(whole)
    const { origin } = baseUrl
    this.#hosts.noteAccount(origin, account, proxy)
    using linked = followAbort(this.#ending.signal, this.#signal, options.signal)
    const { signal } = linked
    const turn = await this.#turns.take(origin, account, signal).catch((error: unknown) => {
      throw toInterruptedError(signal, error)
    })
    const runTurn = new RunTurn(turn, safeCallback(options.onSuspend))
    const open = async (given: ConnectOptions) => runTurn.over(await this.#database.open(given))
    try {
      withoutRejections(options.onTurn)()
      return await run({ ...whole, open, host: this.#hosts.at(origin), turn: runTurn, signal })
    } catch (error) {
      if (this.#hosts.isAway(origin, account, error))
        this.#turns.failWaiting(origin, (waiting) => awayError(origin, waiting, error))
      throw error
    } finally {
      turn.release()
    }
  }

  #track<Result>(run: Promise<Result>): Promise<Result> {
    const ended = run.then(ignore, ignore).finally(() => this.#underWay.delete(ended))
    this.#underWay.add(ended)
    return run
  }
}

/** With fewer runs at once than were asked for, or with one, the reason is told. */
function logCapacity(
  { runs: wanted, connections, pool }: RunPoolOptions,
  { runs }: { readonly runs: number },
  logger: Logger,
): void {
  const available = availableConnections({ connections, poolSize: pool?.options.max })
  if (available === Infinity || (wanted !== undefined && runs === wanted)) return
  const message = `${available} database connections carry ${runs === 1 ? 'one run' : `${runs} runs`} at once: each needs 3.`
  if (wanted === undefined) logger.info({ runs, connections: available }, message)
  else
    logger.warn(
      { runs, wanted, connections: available },
      `${message} For ${wanted} runs at once it takes ${3 * wanted} connections.`,
    )
}

function awayError(origin: string, account: string, cause: unknown): UnreachableError {
  return new UnreachableError(
    `Account "${account}" was not read: ${origin} answers none of its accounts, and this one waited behind them. ` +
      `The last of them: ${toError(cause).message}`,
  )
}

function ignore(): void {}
