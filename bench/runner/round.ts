import type { AccountName, Accounts } from '../account/accounts.ts'
import type { Engine, EngineName, Mirror } from '../engines/engine.ts'
import { examine, putToRest } from './examine.ts'
import type { Answered } from '../load/plan.ts'
import type { Writes } from '../engines/write-counters.ts'
import type { Cost } from '../measured/process.ts'
import { measuredOf } from '../scenarios/measurements.ts'
import type { Measured, MeasurementName } from '../scenarios/measurements.ts'
import { loadedMirrors } from './mirrors.ts'
import type { LoadedMirrors } from './mirrors.ts'
import type { Service } from '../service/service.ts'
import type { Way } from '../service/response-modes.ts'
import { doWork } from './work.ts'
import type { Done, Tools } from './work.ts'

/** One measurement of one round. */
export interface Measurement extends Cost {
  readonly name: MeasurementName
  readonly requests: number
  /** Null where there is no database. */
  readonly writes: Writes | null
  /** Null of what is no server. */
  readonly answered: Answered | null
}

export interface Bench extends Tools {
  readonly accounts: Accounts
  readonly service: Service
  readonly engine: (name: EngineName) => Promise<Engine>
  /** Told of each measurement as it ends. */
  readonly report: (text: string) => void
}

/** A measurement that gave no figures: its process failed, or did not do what it should have. */
export interface Failure {
  readonly name: MeasurementName
  readonly message: string
}

export interface Round {
  readonly measurements: readonly Measurement[]
  readonly failures: readonly Failure[]
}

/**
 * Measures each of these once, in a process of its own, one directly after the other. A failure does not end the round:
 * the other figures are worth what they are.
 */
export async function measureRound(bench: Bench, names: readonly MeasurementName[]): Promise<Round> {
  await using mirrors = loadedMirrors((mirror, account, way) => load(bench, mirror, account, way))
  const measurements: Measurement[] = []
  const failures: Failure[] = []
  for (const name of names) {
    try {
      const measurement = await measureOne(bench, mirrors, name)
      bench.report(`${name} ${(measurement.ms / 1000).toFixed(2)} s`)
      measurements.push(measurement)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      bench.report(`${name} failed: ${message}`)
      failures.push({ name, message })
    }
  }
  return { measurements, failures }
}

async function measureOne(bench: Bench, mirrors: LoadedMirrors, name: MeasurementName): Promise<Measurement> {
  const measured = measuredOf(name)
  if (measured.engine === null) return measureWithoutDatabase(bench, name, measured)
  const { account, way, shows } = measured
  const engine = await bench.engine(measured.engine)
  await using held = new AsyncDisposableStack()
  const mirror = held.use(
    measured.mirror === 'empty' ? await engine.copy(engine.empty) : await mirrors.copy(engine, account, way),
  )
  const { digests } = await bench.service.show(account, shows)
  const { cost, requests, notModified, answered = null } = await repeat(bench, name, measured, mirror)
  const writes = await examine(mirror, 'the mirror', digests)
  const { events } = bench.accounts[account]
  if (way === 'etag' && notModified !== events) {
    throw new Error(`${notModified} lists were answered 304 instead of ${events}`)
  }
  if (measured.mirror === 'empty' && measured.work === 'syncAll') {
    await mirrors.keep(engine, account, way, await putToRest(mirror))
    held.move()
  }
  return { name, ...cost, requests, writes, answered }
}

async function measureWithoutDatabase(
  bench: Bench,
  name: MeasurementName,
  measured: Measured,
): Promise<Measurement> {
  const served = await bench.service.show(measured.account, measured.shows)
  const { cost, requests, bytes = served.bytes, answered = null } = await repeat(bench, name, measured, null)
  if (bytes === served.bytes) return { name, ...cost, requests, writes: null, answered }
  throw new Error(`it read ${bytes} bytes; the service has ${served.bytes}`)
}

/** Does it as often as it says; the one of median time counts. */
async function repeat(
  bench: Bench,
  name: MeasurementName,
  { work, account, way, times, clock }: Measured,
  mirror: Mirror | null,
): Promise<Done> {
  const place = {
    name,
    base: bench.service.baseOf(account, way),
    shape: bench.accounts[account],
    url: mirror?.url ?? null,
  }
  const all: Done[] = []
  while (all.length < times) all.push(await doWork(work, bench, place))
  const done = all.toSorted((a, b) => a.cost.ms - b.cost.ms)[Math.floor(times / 2)]
  if (done === undefined) throw new RangeError(`${name} is measured ${times} times.`)
  return clock === 'work' ? { ...done, cost: withoutStart(done.cost) } : done
}

function withoutStart(cost: Cost): Cost {
  const { parts } = cost
  if (parts === null) throw new Error('A process without parts has no start to leave out.')
  return { ...cost, ms: parts.opening + parts.run }
}

/** Loads an account as it was, unmeasured, and leaves the mirror at rest. */
async function load(bench: Bench, mirror: Mirror, account: AccountName, way: Way): Promise<Mirror> {
  const { accounts, service } = bench
  const { digests } = await service.show(account, 'original')
  const place = {
    name: `load-${account}-${way}`,
    base: service.baseOf(account, way),
    shape: accounts[account],
    url: mirror.url,
  }
  await doWork('syncAll', { ...bench, profile: null }, place)
  await examine(mirror, 'the mirror before', digests)
  return putToRest(mirror)
}
