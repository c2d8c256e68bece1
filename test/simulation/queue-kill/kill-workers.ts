/**
 * Kills workers of a queue at seeded moments and starts others in their place. In the end no two runs of an account overlap, each due
 * time was served, and the mirror is what the service says.
 */
import { setTimeout } from 'node:timers/promises'
import { backfill, queueJobs, verify, type QueueState } from '../../../src/index.ts'
import { chanceOf } from '../account/chance.ts'
import { require, requireEqual } from '../judge/judge.ts'
import { moveOn, openQueueScene, type QueueScene, type Worker } from './scene.ts'

export interface WorkerKills {
  /** What Node starts as the command: the sources, or a bundle, which starts in half the time. */
  readonly command: string
  readonly accounts: number
  readonly workers: number
  readonly kills: number
  readonly seed: number
  /** Every so many seconds each account is due. */
  readonly everyS: number
  /** Between two kills at most. */
  readonly pauseMs: number
  /** Jobs of the dead count as lost at once, and are tried at once: in the time of a test. */
  readonly hurried: boolean
  readonly onKill: (kills: number) => void
}

export interface KillFigures {
  readonly runs: number
  readonly succeeded: number
  /** Runs that a kill ended. */
  readonly abandoned: number
  /** Due times, over all accounts. */
  readonly dueTimes: number
  /** From a due time to the end of the good run that served it: median, 95th percentile and the longest, in seconds. */
  readonly servedAfterS: { readonly median: number; readonly p95: number; readonly max: number }
  /** How many processes sent jobs. */
  readonly stops: number
}

/** @throws Broken when something is not as promised */
export async function killWorkers(options: WorkerKills): Promise<KillFigures> {
  const chance = chanceOf(options.seed)
  await using scene = await openQueueScene(options, `*/${options.everyS} * * * * *`)
  const workers = Array.from({ length: options.workers }, () => scene.startWorker())
  await until('the first runs', () => succeededSince(scene, new Date(0)), options.accounts, scene, options)
  const from = new Date()
  for (let kills = 1; kills <= options.kills; kills += 1) {
    await setTimeout(chance.int(0, options.pauseMs))
    moveOn(scene.accounts, chance)
    const at = chance.int(0, workers.length - 1)
    await replace(workers, at, scene)
    if (options.hurried) await hurry(scene)
    options.onKill(kills)
  }
  moveOn(scene.accounts, chance)
  const everyMs = options.everyS * 1000
  // Few kills may all come between two due times: one passes at least.
  await setTimeout(Math.max(0, Math.ceil(from.getTime() / everyMs) * everyMs - Date.now()))
  const to = new Date()
  await until(
    'a run of each account after the kills',
    () => succeededSince(scene, to),
    options.accounts,
    scene,
    options,
  )
  const codes = await stopAll(workers)
  requireEqual(
    codes,
    workers.map(() => 0),
    `workers that were told to stop:\n${workers.map(({ stderr }) => stderr()).join('\n')}`,
  )
  await requireNothingLeft(scene)
  await requireMirrored(scene)
  return { ...(await judgeRuns(scene, { from, to, everyS: options.everyS })), stops: codes.length }
}

async function replace(workers: Worker[], at: number, scene: QueueScene): Promise<void> {
  const worker = workers[at]
  worker?.child.kill('SIGKILL')
  await worker?.ended
  workers[at] = scene.startWorker()
}

/** All that run count as lost, those of living workers too: their runs go on, and another try finds the account busy. */
async function hurry({ database }: QueueScene): Promise<void> {
  await database.transaction(async (trx) => {
    await trx.query(
      `update headcount_queue.job set heartbeat_on = now() - interval '31 s' where state = 'active'`,
    )
    await trx.query(`update headcount_queue.queue set monitor_claim_on = null`)
    await trx.query(
      `update headcount_queue.dispatcher set passed_at = now() - interval '16 s' where instance is not null`,
    )
  })
}

async function stopAll(workers: readonly Worker[]): Promise<(number | null)[]> {
  // One that is just starting would die of the signal.
  await Promise.all(workers.map(({ begun }) => begun))
  for (const { child } of workers) child.kill('SIGTERM')
  return Promise.all(workers.map(({ ended }) => ended))
}

const WAIT_MS = 300_000

async function until(
  what: string,
  count: () => Promise<number>,
  wanted: number,
  scene: QueueScene,
  { hurried }: WorkerKills,
): Promise<void> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const found = await count()
    if (found >= wanted) return
    require(performance.now() < deadline, `${what}: ${found} of ${wanted} after ${WAIT_MS / 1000} s`)
    if (hurried)
      await scene.database
        .transaction((trx) =>
          trx.query(`update headcount_queue.job set start_after = now() where state = 'retry'`),
        )
        .catch(() => {})
    await setTimeout(500)
  }
}

/** Accounts with a good run that began after the moment. */
async function succeededSince({ database }: QueueScene, since: Date): Promise<number> {
  try {
    const { rows } = await database.transaction((trx) =>
      trx.query(
        `select count(distinct account_id)::int from headcount.sync_runs where status = 'succeeded' and started_at > $1`,
        [since.toISOString()],
      ),
    )
    return Number(rows[0]?.[0])
  } catch {
    // No worker has made the schema yet.
    return 0
  }
}

async function requireNothingLeft({ url }: QueueScene): Promise<void> {
  const queue: QueueState = await queueJobs({ database: url })
  requireEqual(queue.counts.dead, 0, `dead letters: ${JSON.stringify(queue.jobs)}`)
  requireEqual(queue.counts.running, 0, `jobs that no worker handed back: ${JSON.stringify(queue.jobs)}`)
  requireEqual(queue.dispatcher, null, 'a dispatcher that did not resign')
}

/** Nothing is lost: `verify` reads the service again and compares each row. */
async function requireMirrored(scene: QueueScene): Promise<void> {
  for (const account of scene.accounts.keys()) {
    const to = { database: scene.url, account, apiKey: scene.keyOf(account), baseUrl: scene.baseUrl }
    const { status, differences } = await verify({ ...to, thorough: true })
    requireEqual({ status, differences }, { status: 'equal', differences: [] }, `the mirror of ${account}`)
    const { events, rows } = await backfill(to)
    requireEqual(events.listed, scene.accounts.get(account)?.events.length, `the events of ${account}`)
    requireEqual(
      rows.responses,
      { inserted: 0, updated: 0, deleted: 0 },
      `rows that a backfill of ${account} mends`,
    )
  }
}

async function judgeRuns(
  { database }: QueueScene,
  { from, to, everyS }: { readonly from: Date; readonly to: Date; readonly everyS: number },
): Promise<Omit<KillFigures, 'stops'>> {
  const { rows } = await database.transaction((trx) =>
    trx.query(
      `select account_id, status, extract(epoch from started_at)::float8, extract(epoch from finished_at)::float8
         from headcount.sync_runs where mode = 'sync' order by account_id, id`,
    ),
  )
  const byAccount = Map.groupBy(
    rows.map(([account, status, started, finished]) => ({
      account: Number(account),
      status: String(status),
      started: Number(started),
      finished: Number(finished),
    })),
    ({ account }) => account,
  )
  const waits: number[] = []
  for (const [account, runs] of byAccount) {
    for (const [at, run] of runs.entries()) {
      const before = runs[at - 1]
      require(run.status !== 'running', `a run of account ${account} never ended`)
      require(before === undefined ||
        before.finished <=
          run.started, `two runs of account ${account} overlap: ${JSON.stringify([before, run])}`)
    }
    const good = runs.filter(({ status }) => status === 'succeeded')
    const [first, last] = [from, to].map((moment) => moment.getTime() / 1000)
    for (let due = Math.ceil((first ?? 0) / everyS) * everyS; due <= (last ?? 0); due += everyS) {
      const served = good.find(({ finished }) => finished >= due)
      require(served !==
        undefined, `no run of account ${account} served what was due at ${new Date(due * 1000).toISOString()}`)
      waits.push((served?.finished ?? Infinity) - due)
    }
  }
  waits.sort((a, b) => a - b)
  const share = (part: number) => Math.round((waits[Math.floor((waits.length - 1) * part)] ?? 0) * 10) / 10
  const statuses = [...byAccount.values()].flat().map(({ status }) => status)
  return {
    runs: statuses.length,
    succeeded: statuses.filter((status) => status === 'succeeded').length,
    abandoned: statuses.filter((status) => status === 'abandoned').length,
    dueTimes: waits.length,
    servedAfterS: { median: share(0.5), p95: share(0.95), max: share(1) },
  }
}
