import type { AccountSize, Version } from './account.ts'
import type { Engine } from './engines/engine.ts'
import type { Digests } from './equality.ts'
import { requireEqual } from './equality.ts'
import { inChild } from './in-child.ts'
import type { Mark, Writes } from './marks.ts'
import type { Cost } from './measure.ts'
import type { ScenarioName } from './options.ts'
import type { Service } from './service.ts'

/** What is measured: two floors, and the scenarios. */
export type MeasurementName = 'download' | 'copy' | ScenarioName

/** One measurement of one round; a download writes nothing anywhere. */
export interface Measurement extends Cost {
  readonly name: MeasurementName
  readonly writes: Writes | null
}

export interface Bench {
  readonly size: AccountSize
  readonly scenarios: readonly ScenarioName[]
  readonly service: Service
  readonly expected: Readonly<Record<Version, Digests>>
  readonly profile: string | null
  /** Told of each measurement as it ends. */
  readonly report: (engine: Engine, measurement: Measurement) => void
}

/** A mirror under measurement, with the mark set before the next one. */
interface Mirror {
  readonly bench: Bench
  readonly engine: Engine
  readonly url: string
  mark: Mark
}

/** Measures the floors and the scenarios once, each in a process of its own, one directly after the other. */
export async function measureRound(bench: Bench, engine: Engine): Promise<readonly Measurement[]> {
  const { scenarios, service } = bench
  const measurements: Measurement[] = []
  const note = (measurement: Measurement) => {
    bench.report(engine, measurement)
    measurements.push(measurement)
  }
  await service.show('original')
  note(await measureDownload(bench, engine))
  if (scenarios.includes('cold')) note(await measureCopy(bench, engine))

  await using fresh = await engine.fresh()
  const mirror: Mirror = { bench, engine, url: fresh.url, mark: fresh.mark }
  const cold = await measureSync(mirror, 'cold', 'original')
  if (scenarios.includes('cold')) note(cold)
  if (scenarios.includes('unchanged')) note(await measureSync(mirror, 'unchanged', 'original'))
  if (scenarios.includes('changed')) {
    await service.show('changed')
    note(await measureSync(mirror, 'changed', 'changed'))
  }
  return measurements
}

async function measureDownload(bench: Bench, engine: Engine): Promise<Measurement> {
  const { service, profile } = bench
  const cost = await inChild('download', { origin: service.origin }, profileOf(profile, engine, 'download'))
  if (cost.result !== service.bytes) {
    throw new Error(`The download gave ${cost.result} bytes; the service has ${service.bytes}.`)
  }
  return { name: 'download', ...costOf(cost), writes: null }
}

async function measureCopy(bench: Bench, engine: Engine): Promise<Measurement> {
  await using fresh = await engine.fresh()
  const mirror: Mirror = { bench, engine, url: fresh.url, mark: fresh.mark }
  const input = { origin: bench.service.origin, url: mirror.url }
  const cost = await inChild('copy', input, profileOf(bench.profile, engine, 'copy'))
  return { name: 'copy', ...costOf(cost), writes: await examine(mirror, 'copy', 'original') }
}

async function measureSync(mirror: Mirror, name: ScenarioName, version: Version): Promise<Measurement> {
  const { bench, engine, url } = mirror
  const cost = await inChild(
    'sync',
    { origin: bench.service.origin, url },
    profileOf(bench.profile, engine, name),
  )
  if (cost.result.status !== 'succeeded') {
    throw new Error(`${engine.name}, ${name}: the run ended ${cost.result.status}.`)
  }
  return { name, ...costOf(cost), writes: await examine(mirror, name, version) }
}

async function examine(mirror: Mirror, name: MeasurementName, version: Version): Promise<Writes> {
  const { writes, digests, mark } = await inChild('examine', { url: mirror.url, since: mirror.mark })
  requireEqual(`${mirror.engine.name}, ${name}`, digests, mirror.bench.expected[version])
  mirror.mark = mark
  return writes
}

function costOf({ ms, cpuMs, peakBytes }: Cost): Cost {
  return { ms, cpuMs, peakBytes }
}

function profileOf(folder: string | null, engine: Engine, name: MeasurementName) {
  return folder === null ? null : { folder, name: `${engine.name}-${name}` }
}
