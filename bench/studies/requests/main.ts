/**
 * `npm run bench:requests`: how many requests a schedule of 15 minutes costs the service in 30 days, and how late changes
 * arrive. The days are foretold by the rule of src/sync/select/polling-schedule.ts; a smaller account is mirrored by the real run,
 * over HTTP and Postgres in simulated time, which must read exactly what is foretold.
 */
import { isDeepStrictEqual } from 'node:util'
import { formatNumber } from '../../../src/common/text/number.ts'
import { drawTable, right } from '../../../src/commands/output/format/table.ts'
import { count, runProgram } from '../../../test/support/commands/program.ts'
import { enginesIn } from '../../engines/engines.ts'
import { figuresOf } from './figures.ts'
import type { RequestFigures, Staleness } from './figures.ts'
import { foretell } from './predict-runs.ts'
import { DAY, liveAccount, MINUTE } from './living-account.ts'
import type { LifeSize } from './living-account.ts'
import { realTicks } from './real-runs.ts'
import { temporaryFolder } from '../../runner/temporary-folder.ts'

const help = `npm run bench:requests -- [options]

  --events N        events of the account whose days are foretold (2000)
  --days N          how many days (30)
  --real-events N   events of the account that is mirrored by real runs (200)
  --real-days N     how many days of it; 20 with a run every six hours follow (2)
`

const options = {
  events: { type: 'string', default: '2000' },
  days: { type: 'string', default: '30' },
  'real-events': { type: 'string', default: '200' },
  'real-days': { type: 'string', default: '2' },
} as const

const EVERY = 15 * MINUTE
/** Then seldom, up to the longest wait of an old event and beyond. */
const SELDOM = 6 * 60 * MINUTE
const LATER_DAYS = 20
const ORIGIN = Date.UTC(2026, 0, 1)

function momentsOf(from: number, until: number, step: number): readonly number[] {
  return Array.from({ length: Math.ceil((until - from) / step) }, (_, place) => from + place * step)
}

/** @throws Error at the first run that reads something else than foretold. */
async function compareWithReal({ events, days }: LifeSize): Promise<number> {
  await using engines = enginesIn(await temporaryFolder())
  const engine = await engines.engine('postgres')
  await using mirror = await engine.copy(engine.empty)
  const moments = [
    ...momentsOf(0, days * DAY, EVERY),
    ...momentsOf(days * DAY, (days + LATER_DAYS) * DAY, SELDOM),
  ]
  const account = liveAccount({ events, days: days + LATER_DAYS })
  const foretold = foretell(account, moments, ORIGIN)
  let runs = 0
  for await (const real of realTicks(account, moments, mirror)) {
    const { value: expected } = foretold.next()
    runs += 1
    if (isDeepStrictEqual(real, expected)) continue
    throw new Error(`Run ${runs}, foretold: ${JSON.stringify(expected)}\nreal: ${JSON.stringify(real)}`)
  }
  return runs
}

function draw(figures: RequestFigures): string {
  const { active, all } = figures
  const times = figures.requestsForAll / figures.requests
  const verdict = (isMet: boolean) => (isMet ? 'met' : 'missed')
  return drawTable(
    ['figure', right('measured'), right('target'), ''],
    [
      ['requests, fewer than for every event', `${times.toFixed(1)} ×`, '≥ 15 ×', verdict(times >= 15)],
      [
        'staleness in active events, median',
        minutes(active.median),
        '≤ 15 min',
        verdict(active.median <= EVERY),
      ],
      ['staleness of all changes, median', minutes(all.median), '≤ 1,440 min', verdict(all.median <= DAY)],
    ],
    { width: null },
  )
}

function tell(name: string, { changes, unread, median, ninth }: Staleness): string {
  const late = `median ${minutes(median)}, nine of ten within ${minutes(ninth)}`
  return `${name}: ${formatNumber(changes)} changes, ${late}, ${formatNumber(unread)} not read yet at the end\n`
}

function minutes(ms: number): string {
  return `${formatNumber(Math.round(ms / MINUTE))} min`
}

process.exit(
  await runProgram(help, options, async (values) => {
    const size = { events: count('events', values.events), days: count('days', values.days) }
    const real = {
      events: count('real-events', values['real-events']),
      days: count('real-days', values['real-days']),
    }
    const account = liveAccount(size)
    const figures = figuresOf(account, [...foretell(account, momentsOf(0, size.days * DAY, EVERY), ORIGIN)])
    process.stdout.write(
      `${draw(figures)}
${formatNumber(figures.requests)} requests in ${formatNumber(figures.runs)} runs; ${formatNumber(figures.requestsForAll)} for every event
${tell('active events', figures.active)}${tell('events past', figures.past)}`,
    )
    const runs = await compareWithReal(real)
    process.stdout.write(
      `${formatNumber(runs)} real runs over ${real.events} events read what was foretold\n`,
    )
    return true
  }),
)
