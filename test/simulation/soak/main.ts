/**
 * `npm run soak`: many runs in one process, as a worker makes them: a day of a 15-minute schedule in simulated time,
 * then runs in real time on both engines. Memory, connections, open files and tables may not grow.
 */
import { sync } from '../../../src/index.ts'
import { count, runProgram } from '../../support/commands/program.ts'
import { chanceOf } from '../account/chance.ts'
import { letPass, readTables } from '../play/clock.ts'
import type { Ask } from '../engine/engine.ts'
import { killAccount, moveOn, startKillService } from '../kill/account.ts'
import type { KillService } from '../kill/account.ts'
import { openKillPlace } from '../kill/databases.ts'
import type { KillPlace } from '../kill/databases.ts'
import { ownKeys } from '../service/keys.ts'
import type { EngineName } from '../engine/open.ts'
import { grown, heading, lineOf, takeFigures, takeStored } from './figures.ts'
import type { Figures } from './figures.ts'

const help = `npm run soak -- [options]

  --runs N    runs in real time on each engine (50)
  --ticks N   runs of the schedule, 15 minutes of simulated time apart (96)
`

const options = {
  runs: { type: 'string', default: '50' },
  ticks: { type: 'string', default: '96' },
} as const

const print = (text: string) => void process.stdout.write(`${text}\n`)

interface Soak {
  readonly title: string
  readonly engine: EngineName
  readonly runs: number
  readonly all: boolean
  /** Simulated time between two runs. */
  readonly minutes: number
}

/** Runs before the first figures: caches fill, code is compiled, pages are laid out. */
const WARM_UP = 10

/** @returns what grew beyond its bound */
async function soak({ title, engine, runs, all, minutes }: Soak): Promise<readonly string[]> {
  const chance = chanceOf(1)
  const account = killAccount(chance, 60, 30)
  await using place: KillPlace = await openKillPlace(engine)
  await using service: KillService = await startKillService(account)
  print(`\n${title}\n${heading}`)
  const figures: Figures[] = []
  const at = new Map([
    [WARM_UP, 'the first'],
    [WARM_UP + Math.floor(runs / 2), 'half'],
    [WARM_UP + runs, 'all'],
  ])
  for (let run = 1; run <= WARM_UP + runs; run++) {
    moveOn(account, chance)
    const options = { database: place.url, apiKey: ownKeys[0], baseUrl: service.baseUrl, all }
    const { status } = await sync(options)
    if (status !== 'succeeded') throw new Error(`run ${run} ended as ${status}`)
    service.forget()
    const when = at.get(run)
    const stored = await place.look(async (ask) => {
      if (minutes > 0) await pass(ask, minutes)
      return when === undefined ? null : takeStored(ask, engine)
    })
    if (when === undefined || stored === null) continue
    const taken = await takeFigures(when, stored)
    figures.push(taken)
    print(lineOf(taken))
  }
  const [first, half, last] = figures
  if (first === undefined || half === undefined || last === undefined) return []
  return grown(first, half, last).map((what) => `${title}: ${what}`)
}

/** Only what runs look at: to move every row would bloat the tables by itself. */
async function pass(ask: Ask, minutes: number): Promise<void> {
  const { times, all } = await readTables(ask)
  const moved = [...times].filter(([table]) => table === 'sync_state' || table === 'sync_runs')
  await letPass(ask, { all, times: new Map(moved) }, minutes)
}

process.exitCode = await runProgram(help, options, async (values) => {
  const [ticks, runs] = [count('ticks', values.ticks), count('runs', values.runs)]
  const soaks: readonly Soak[] = [
    {
      title: `${ticks} runs, one each 15 minutes of simulated time, on Postgres`,
      engine: 'postgres',
      runs: ticks,
      all: false,
      minutes: 15,
    },
    { title: `${runs} runs on Postgres`, engine: 'postgres', runs, all: true, minutes: 0 },
    {
      title: `${runs} runs on PGlite, opened and closed for each`,
      engine: 'pglite',
      runs,
      all: true,
      minutes: 0,
    },
  ]
  const faults: string[] = []
  for (const one of soaks) faults.push(...(await soak(one)))
  print(faults.length === 0 ? '\nnothing grew' : `\n${faults.join('\n')}`)
  return faults.length === 0
})
