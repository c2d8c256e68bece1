/**
 * `npm run bench:telemetry`: the processor time of a whole process with spans and metrics, beside the same without, in rounds that
 * take turns: which of the two begins changes from round to round.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { loadavg } from 'node:os'
import { formatNumber } from '../../../src/common/text/number.ts'
import { drawTable, right } from '../../../src/commands/output/format/table.ts'
import { ArgumentError, count, runProgram } from '../../../test/support/commands/program.ts'
import { accountsOf } from '../../account/accounts.ts'
import { enginesIn } from '../../engines/engines.ts'
import { compile } from '../../measured/compiled.ts'
import { measureProcess } from '../../measured/process.ts'
import { temporaryFolder } from '../../runner/temporary-folder.ts'
import { startService } from '../../service/service.ts'

const help = `npm run bench:telemetry -- [options]

  --events N      events of the account (2000)
  --responses N   responses to each (50)
  --rounds N      rounds of each command, with and without (15)
  --most N        what telemetry may cost at most, in per cent of the processor time; more ends with 1 (2)
  --profile DIR   writes a CPU profile of each run there, which slows all of them down alike
`

const options = {
  events: { type: 'string', default: '2000' },
  responses: { type: 'string', default: '50' },
  rounds: { type: 'string', default: '15' },
  most: { type: 'string', default: '2' },
  profile: { type: 'string' },
} as const

/** What is measured: a run that compares every row, and one over lists that did not change. */
const commands = [
  ['backfill', '--restart'],
  ['sync', '--all'],
] as const

interface Collector extends AsyncDisposable {
  readonly endpoint: string
}

async function startCollector(): Promise<Collector> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'collector.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [endpoint]: string[] = await once(createInterface(child.stdout), 'line')
  return {
    endpoint: endpoint ?? '',
    [Symbol.asyncDispose]: async () => {
      const closed = once(child, 'close')
      child.kill()
      await closed
    },
  }
}

/** @param share 0.5 for the median */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (sorted.length - 1) * share
  const [lower, upper] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN]
  return lower + (upper - lower) * (at - Math.floor(at))
}

const median = (values: readonly number[]) => quantile(values, 0.5)

interface Figures {
  readonly command: string
  readonly without: number
  readonly with: number
  /** The median of the differences within a round, in per cent: what loads the machine meanwhile loads both. */
  readonly percent: number
  /** The half of the rounds in the middle. */
  readonly quartiles: readonly [number, number]
}

const exitCode = await runProgram(help, options, async (values) => {
  const events = count('events', values.events)
  const responses = count('responses', values.responses)
  const rounds = count('rounds', values.rounds)
  const most = Number(values.most)
  if (!(most > 0)) throw new ArgumentError(`--most must be a number above 0, not "${values.most}".`)
  const { profile: profiles } = values
  let runs = 0
  const folder = await temporaryFolder()
  const compiled = await compile(join(folder, 'compiled'), profiles ?? null)
  await using engines = enginesIn(folder)
  const engine = await engines.engine('postgres')
  await using mirror = await engine.copy(engine.empty)
  const accounts = accountsOf(events, responses)
  await using service = await startService(folder, accounts, new Map([['whole', ['original']]]))
  await service.show('whole', 'original')
  await using collector = await startCollector()

  async function cpuOf(command: readonly string[], isOn: boolean): Promise<number> {
    const { cost } = await measureProcess({
      args: [compiled.command, ...command, '--quiet'],
      env: {
        HEADCOUNT_BASE_URL: service.baseOf('whole', 'plain'),
        HEADCOUNT_API_KEY: 'bench',
        DATABASE_URL: mirror.url,
        ...(isOn && { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }),
      },
      reportCost: compiled.reportCost,
      profile:
        profiles === undefined
          ? null
          : { folder: profiles, name: `${command.join(' ')} ${isOn ? 'with' : 'without'} ${++runs}` },
    })
    if (cost.cpuMs === null) throw new Error('the process did not tell its processor time')
    return cost.cpuMs
  }

  // The first runs fill the mirror and Node's cache of compiled code.
  await cpuOf(['sync'], true)
  await cpuOf(['sync', '--all'], false)
  const figures: Figures[] = []
  for (const command of commands) {
    const pairs: { off: number; on: number }[] = []
    for (let round = 0; round < rounds; round++) {
      process.stderr.write(`\r${command.join(' ')}: round ${round + 1} of ${rounds} `)
      const isOnFirst = round % 2 === 1
      const first = await cpuOf(command, isOnFirst)
      const second = await cpuOf(command, !isOnFirst)
      pairs.push(isOnFirst ? { on: first, off: second } : { on: second, off: first })
    }
    process.stderr.write('\n')
    const percents = pairs.map(({ on, off }) => (on / off - 1) * 100)
    figures.push({
      command: command.join(' '),
      without: median(pairs.map(({ off }) => off)),
      with: median(pairs.map(({ on }) => on)),
      percent: median(percents),
      quartiles: [quantile(percents, 0.25), quantile(percents, 0.75)],
    })
  }
  const { requests, bytes } = (await (await fetch(collector.endpoint)).json()) as {
    requests: number
    bytes: number
  }
  process.stdout.write(
    `${drawTable(
      [
        'processor time, median',
        right('without'),
        right('with'),
        right('more'),
        right('half of the rounds'),
        '',
      ],
      figures.map((one) => [
        one.command,
        `${Math.round(one.without)} ms`,
        `${Math.round(one.with)} ms`,
        `${one.percent.toFixed(1)} %`,
        one.quartiles.map((value) => value.toFixed(1)).join(' to '),
        one.percent <= most ? 'met' : 'missed',
      ]),
      { width: null },
    )}\n${formatNumber(events)} events of ${formatNumber(responses)} responses, ${rounds} rounds, load ${loadavg()[0]?.toFixed(1)}; ` +
      `the collector took ${formatNumber(requests)} requests of ${formatNumber(bytes)} bytes.\n`,
  )
  return figures.every(({ percent }) => percent <= most)
})
process.exitCode = exitCode
