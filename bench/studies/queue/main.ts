/**
 * `npm run bench:queue`: what the queue of `worker --queue` costs with very many accounts: a look for who is due, a job that is taken and
 * settled, and what both leave to vacuum.
 */
import { connect, type Database } from '../../../src/db/connect.ts'
import { formatNumber } from '../../../src/common/text/number.ts'
import { drawTable, right } from '../../../src/commands/output/format/table.ts'
import { createDispatcher } from '../../../src/orchestration/queue/dispatcher.ts'
import { groupBySchedule, type QueueAccount } from '../../../src/orchestration/queue/due-groups.ts'
import { fetchJobs } from '../../../src/orchestration/queue/jobs/fetch-jobs.ts'
import { done } from '../../../src/orchestration/queue/jobs/job-outcome.ts'
import { openQueue, type JobQueue } from '../../../src/orchestration/queue/open-queue.ts'
import { settle } from '../../../src/orchestration/queue/jobs/settle.ts'
import { count, runProgram } from '../../../test/support/commands/program.ts'
import { startPostgres } from '../../../test/support/databases/postgres.ts'

const help = `npm run bench:queue -- [options]

  --accounts N   accounts, a quarter of an hour apart (100000)
  --groups N     pairs of schedule and zone among which they are spread (60)
  --hosts N      hosts of services (20)
  --jobs N       jobs that are taken and settled one after the other at full depth (2000)
`

const options = {
  accounts: { type: 'string', default: '100000' },
  groups: { type: 'string', default: '60' },
  hosts: { type: 'string', default: '20' },
  jobs: { type: 'string', default: '2000' },
} as const

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata']
const MINUTES = 15

/** Each minute of the quarter in each zone, then by the second. */
function accountsOf(size: number, groups: number, hosts: number): readonly QueueAccount[] {
  return Array.from({ length: size }, (_, at) => {
    const group = at % groups
    const minute = group % MINUTES
    const second = Math.floor(group / (MINUTES * zones.length)) % 60
    return {
      name: `account-${at}`,
      host: `host-${at % hosts}.example`,
      schedule: `${second} ${minute}-59/${MINUTES} * * * *`,
      timezone: zones[Math.floor(group / MINUTES) % zones.length] ?? 'UTC',
    }
  })
}

interface Cost {
  readonly ms: number
  readonly cpuMs: number
  readonly walBytes: number
}

async function measured<T>(database: Database, work: () => Promise<T>): Promise<readonly [T, Cost]> {
  const before = await walOf(database)
  const cpu = process.cpuUsage()
  const began = performance.now()
  const result = await work()
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(cpu)
  return [result, { ms, cpuMs: (user + system) / 1000, walBytes: (await walOf(database)) - before }]
}

async function walOf(database: Database): Promise<number> {
  const [[bytes] = []] = await rows(database, `select (pg_current_wal_lsn() - '0/0')::float8`)
  return Number(bytes)
}

async function rows(database: Database, text: string): Promise<readonly (readonly unknown[])[]> {
  return database.transaction(async (trx) => (await trx.query(text)).rows)
}

/** The table of the jobs, which pg-boss names by a hash. */
async function jobTable(database: Database): Promise<string> {
  const [[name] = []] = await rows(
    database,
    `select format('headcount_queue.%I', table_name) from headcount_queue.queue where name = 'runs'`,
  )
  return String(name)
}

interface Size {
  readonly live: number
  readonly dead: number
  readonly tableBytes: number
  readonly indexBytes: number
  /** Of the index by which jobs are taken: pages from the root to a leaf. */
  readonly levels: number
}

async function sizeOf(database: Database, table: string): Promise<Size> {
  await rows(database, 'select pg_stat_force_next_flush()')
  const [row = []] = await rows(
    database,
    `select n_live_tup::float8, n_dead_tup::float8, pg_table_size(relid)::float8, pg_indexes_size(relid)::float8
       from pg_stat_user_tables where relid = '${table}'::regclass`,
  )
  const [live = 0, dead = 0, tableBytes = 0, indexBytes = 0] = row.map(Number)
  const [[levels] = []] = await rows(
    database,
    `select max((bt_metap(indexrelid::regclass::text)).level) + 1 from pg_index where indrelid = '${table}'::regclass`,
  )
  return { live, dead, tableBytes, indexBytes, levels: Number(levels) }
}

const makeDue = `update headcount_queue.schedules set next_due_at = now()`

interface Line {
  readonly what: string
  readonly cost: Cost
  readonly of: number
}

async function measure(
  queue: JobQueue,
  accounts: readonly QueueAccount[],
  jobs: number,
): Promise<{ readonly lines: readonly Line[]; readonly sizes: readonly (readonly [string, Size])[] }> {
  const { database } = queue
  const table = await jobTable(database)
  const [groups, grouping] = await measured(database, async () => groupBySchedule(accounts))
  const dispatcher = createDispatcher({ queue, groups: () => groups, log: () => {} })
  const lines: Line[] = [
    { what: 'accounts are grouped (when their file changes)', cost: grouping, of: accounts.length },
  ]
  const sizes: (readonly [string, Size])[] = []
  const pass = async (what: string) => {
    const [{ sent }, cost] = await measured(database, () => dispatcher.pass())
    lines.push({ what, cost, of: sent })
  }
  await pass('everybody is due at once')
  sizes.push(['everybody waits', await sizeOf(database, table)])
  await pass('nobody is due')
  await rows(database, makeDue)
  await pass('everybody is due again, all still wait')
  lines.push(...(await fullHost(queue, accounts)))
  const [, taking] = await measured(database, () => takeAndSettle(queue, jobs, 1))
  lines.push({ what: 'jobs are taken and settled singly at full depth', cost: taking, of: jobs })
  const [taken, draining] = await measured(database, () => takeAndSettle(queue, Infinity, 64))
  lines.push({ what: 'the others, 64 at once', cost: draining, of: taken })
  sizes.push(['all were done, before vacuum', await sizeOf(database, table)])
  const [, vacuum] = await measured(database, async () => {
    await database.queryOutsideTransaction?.(`vacuum ${table}`)
  })
  lines.push({ what: 'vacuum of the table of jobs', cost: vacuum, of: accounts.length })
  sizes.push(['after vacuum', await sizeOf(database, table)])
  // One minute of the schedule: the groups of that minute are due, and their jobs are done.
  const [[first] = []] = await rows(database, `select min(schedule) from headcount_queue.schedules`)
  const minute = String(first).split(' ')[1]
  await rows(
    database,
    `update headcount_queue.schedules set next_due_at = case when split_part(schedule, ' ', 2) = '${minute}' then now() else now() + interval '1 hour' end`,
  )
  await pass('one minute: the groups of that minute are due')
  return { lines, sizes }
}

/** One host has no room: what it costs to look while no other has jobs, and while the others' jobs stand behind its own. */
async function fullHost(queue: JobQueue, accounts: readonly QueueAccount[]): Promise<readonly Line[]> {
  const { database } = queue
  const hosts = new Set(accounts.map(({ host }) => host))
  const table = await jobTable(database)
  await rows(database, `update ${table} set group_id = 'full.example'`)
  await database.queryOutsideTransaction?.(`vacuum analyze ${table}`)
  const held = await fetchJobs(queue, { count: 1, runsPerHost: 1, hosts })
  const look = async (what: string, known: ReadonlySet<string>) => {
    const times = 20
    const [, cost] = await measured(database, async () => {
      for (let time = 0; time < times; time += 1)
        await fetchJobs(queue, { count: 8, runsPerHost: 1, hosts: known })
    })
    return { what, cost, of: times }
  }
  const lines = [
    await look('looks while the only host has no room, all others wait', new Set(['full.example'])),
    await look('looks while one of several hosts has no room, and only its jobs wait', hosts),
  ]
  for (const job of held) await settle(queue, job, { is: 'returned', code: 'account_busy', afterS: 0 })
  await rows(database, `update ${table} set group_id = data->>'host'`)
  await database.queryOutsideTransaction?.(`vacuum analyze ${table}`)
  return lines
}

async function takeAndSettle(queue: JobQueue, most: number, atOnce: number): Promise<number> {
  let settled = 0
  while (settled < most) {
    const jobs = await fetchJobs(queue, { count: atOnce, runsPerHost: 1000, hosts: new Set() })
    if (jobs.length === 0) break
    await Promise.all(jobs.map((job) => settle(queue, job, done)))
    settled += jobs.length
  }
  return settled
}

const megabytes = (bytes: number) => `${formatNumber(Math.round(bytes / 1e5) / 10)} MB`
const milliseconds = (ms: number) => formatNumber(Math.round(ms * 100) / 100)

process.exitCode = await runProgram(help, options, async (values) => {
  const size = count('accounts', values.accounts)
  const accounts = accountsOf(size, count('groups', values.groups), count('hosts', values.hosts))
  const { url, stop } = await startPostgres()
  try {
    await using database = await connect(`${url}/mirror_template`, { connections: 6 })
    await database.queryAsDriver?.('create extension if not exists pageinspect')
    await using queue = await openQueue(database)
    const { lines, sizes } = await measure(queue, accounts, count('jobs', values.jobs))
    process.stdout.write(
      drawTable(
        ['what', right('jobs'), right('ms'), right('CPU ms'), right('ms each'), right('WAL')],
        lines.map(({ what, cost, of }) => [
          what,
          formatNumber(of),
          milliseconds(cost.ms),
          milliseconds(cost.cpuMs),
          of === 0 ? '' : milliseconds(cost.ms / of),
          megabytes(cost.walBytes),
        ]),
        { width: null },
      ),
    )
    process.stdout.write('\n')
    process.stdout.write(
      drawTable(
        ['table of jobs', right('live'), right('dead'), right('table'), right('indexes'), right('levels')],
        sizes.map(([when, { live, dead, tableBytes, indexBytes, levels }]) => [
          when,
          formatNumber(live),
          formatNumber(dead),
          megabytes(tableBytes),
          megabytes(indexBytes),
          String(levels),
        ]),
        { width: null },
      ),
    )
  } finally {
    await stop()
  }
  return true
})
