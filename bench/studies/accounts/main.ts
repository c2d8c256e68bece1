/**
 * `npm run bench:accounts`: many accounts in one process, by a run pool over one Postgres, against one service. All are due
 * at once, as at every tick of a schedule. One account was read whole before; the others are copies of it. The requests of 30 days are
 * foretold by the rule of src/sync/select/polling-schedule.ts.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { drawTable, right } from '../../../src/commands/output/format/table.ts'
import { formatNumber } from '../../../src/common/text/number.ts'
import { createRunPool } from '../../../src/index.ts'
import { count, runProgram } from '../../../test/support/commands/program.ts'
import { enginesIn } from '../../engines/engines.ts'
import { temporaryFolder } from '../../runner/temporary-folder.ts'
import { figuresOf } from '../requests/figures.ts'
import { DAY, liveAccount, MINUTE } from '../requests/living-account.ts'
import { foretell } from '../requests/predict-runs.ts'
import { copyAccount } from './copies.ts'
import { runPass, type PassFigures } from './pass.ts'
import type { ServiceCounts } from './service.ts'

const help = `npm run bench:accounts -- [options]

  --accounts N      accounts in the file (1000)
  --events N        events of each (50)
  --responses N     responses to each event (10)
  --runs N          at once (4); each has three connections
  --ticks N         (2)
`

const options = {
  accounts: { type: 'string', default: '1000' },
  events: { type: 'string', default: '50' },
  responses: { type: 'string', default: '10' },
  runs: { type: 'string', default: '4' },
  ticks: { type: 'string', default: '2' },
} as const

const EVERY = 15 * MINUTE
const DAYS = 30
const TARGET = 15

interface RealPass extends PassFigures {
  readonly counts: ServiceCounts
}

async function startService(
  size: readonly number[],
): Promise<AsyncDisposable & { child: ChildProcess; port: number }> {
  const child = fork(fileURLToPath(new URL('./service.ts', import.meta.url)), size.map(String))
  const [port] = (await once(child, 'message')) as [number]
  return {
    child,
    port,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

async function countsOf(child: ChildProcess): Promise<ServiceCounts> {
  child.send('counts')
  const [counts] = (await once(child, 'message')) as [ServiceCounts]
  return counts
}

async function measure(size: readonly number[], runs: number, ticks: number): Promise<readonly RealPass[]> {
  const [accounts = 0] = size
  await using engines = enginesIn(await temporaryFolder())
  const engine = await engines.engine('postgres')
  await using mirror = await engine.copy(engine.empty)
  await using service = await startService(size)
  await using pool = createRunPool({ database: mirror.url, runs })
  const remote = { baseUrl: `http://127.0.0.1:${service.port}/api/v1` }
  await runPass(pool, 1, remote)
  await copyAccount(mirror.url, accounts)
  await countsOf(service.child)
  const real: RealPass[] = []
  for (let tick = 0; tick < ticks; tick += 1) {
    const figures = await runPass(pool, accounts, remote)
    real.push({ ...figures, counts: await countsOf(service.child) })
  }
  return real
}

/** How many times fewer requests than reading every event at each tick, by simulated time. */
function foretoldFactor(events: number): { readonly times: number; readonly requests: number } {
  const account = liveAccount({ events, days: DAYS })
  const moments = Array.from({ length: (DAYS * DAY) / EVERY }, (_, n) => n * EVERY)
  const { requests, requestsForAll, runs } = figuresOf(account, [...foretell(account, moments, 0)])
  return { times: requestsForAll / requests, requests: requests / runs }
}

function draw(passes: readonly RealPass[]): string {
  const row = (name: string, cell: (pass: RealPass) => string) => [name, ...passes.map(cell)]
  const at = (lateMs: readonly number[], share: number) =>
    lateMs[Math.min(lateMs.length - 1, Math.floor(lateMs.length * share))] ?? 0
  return drawTable(
    ['', ...passes.map((_, n) => right(`tick ${n + 1}`))],
    [
      row('runs', ({ runs, failed }) => `${formatNumber(runs)}${failed > 0 ? `, ${failed} failed` : ''}`),
      row('time', ({ wallMs }) => seconds(wallMs)),
      row('CPU of this process', ({ cpuMs }) => seconds(cpuMs)),
      row('highest memory until then', ({ peakBytes }) => `${Math.round(peakBytes / 1e6)} MB`),
      row('mirrored after, median', ({ lateMs }) => seconds(at(lateMs, 0.5))),
      row('mirrored after, the last', ({ lateMs }) => seconds(at(lateMs, 1))),
      row('requests', ({ counts }) => formatNumber(counts.requests)),
      row('requests of a run', ({ counts, runs }) => (counts.requests / runs).toFixed(1)),
      row('requests at once, at most', ({ counts }) => formatNumber(counts.open)),
      row('connections to the service', ({ counts }) => formatNumber(counts.connections)),
    ],
    { width: null },
  )
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

process.exit(
  await runProgram(help, options, async (values) => {
    const accounts = count('accounts', values.accounts)
    const events = count('events', values.events)
    const size = [accounts, events, count('responses', values.responses)]
    const passes = await measure(size, count('runs', values.runs), count('ticks', values.ticks))
    process.stdout.write(draw(passes))
    const { times, requests } = foretoldFactor(events)
    const isMet = times >= TARGET
    process.stdout.write(
      `\n${DAYS} days, every 15 minutes, foretold: ${requests.toFixed(2)} requests a run, ${times.toFixed(1)} times fewer than ` +
        `reading ${events} events each time (target ${TARGET} ×: ${isMet ? 'met' : 'missed'})\n`,
    )
    return passes.every(({ failed }) => failed === 0)
  }),
)
