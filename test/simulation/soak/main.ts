/**
 * `npm run soak`: many runs in one process, as a worker makes them: a day of a 15-minute schedule in simulated time,
 * then runs in real time on both engines. Memory, connections, open files and tables may not grow.
 */
import { parseArgs } from 'node:util'
import { sync } from '../../../src/index.ts'
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

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '50' }, ticks: { type: 'string', default: '96' } },
})

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

const ticks = Number(values.ticks)
const runs = Number(values.runs)
const faults = [
  ...(await soak({
    title: `${ticks} runs, one each 15 minutes of simulated time, on Postgres`,
    engine: 'postgres',
    runs: ticks,
    all: false,
    minutes: 15,
  })),
  ...(await soak({ title: `${runs} runs on Postgres`, engine: 'postgres', runs, all: true, minutes: 0 })),
  ...(await soak({
    title: `${runs} runs on PGlite, opened and closed for each`,
    engine: 'pglite',
    runs,
    all: true,
    minutes: 0,
  })),
]
print(faults.length === 0 ? '\nnothing grew' : `\n${faults.join('\n')}`)
process.exitCode = faults.length === 0 ? 0 : 1
