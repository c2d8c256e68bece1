import { mkdtemp, chmod, writeFile } from 'node:fs/promises'
import { rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { AccountSize } from './account.ts'
import { formatBytes, formatNumber } from '../src/commands/print/number.ts'
import { startEngine } from './engines/engine.ts'
import type { EngineName } from './engines/engine.ts'
import { inChild } from './in-child.ts'
import { ArgumentError, help, readOptions } from './options.ts'
import type { Options } from './options.ts'
import { measureRound } from './round.ts'
import type { Bench, Measurement } from './round.ts'
import { startService } from './service.ts'
import { summarise } from './summary.ts'
import type { EngineRounds, Summary } from './summary.ts'
import { drawSummaries } from './table.ts'

/** What `--json` writes. */
export interface Figures {
  readonly machine: ReturnType<typeof machine>
  readonly account: AccountSize & { readonly bytes: number }
  readonly repeat: number
  readonly summaries: readonly Summary[]
  readonly engines: readonly EngineRounds[]
}

async function main(options: Options): Promise<void> {
  const { size, scenarios, profile, repeat } = options
  await using service = await startService(size)
  const responses = size.events * size.responses
  const what = `${formatNumber(size.events)} events of ${formatNumber(size.responses)} responses`
  say(`${what}, ${formatBytes(service.bytes)} (${Math.round(service.bytes / responses)} bytes a response)`)
  const expected = {
    original: await inChild('expect', { size, version: 'original' }),
    changed: await inChild('expect', { size, version: 'changed' }),
  }
  const engines: EngineRounds[] = []
  for (const engine of options.engines) {
    const report =
      (round: number) =>
      (_: unknown, { name, ms }: Measurement) => {
        say(`${engine}, round ${round} of ${repeat}: ${name} ${(ms / 1000).toFixed(2)} s`)
      }
    engines.push(
      await measureEngine(engine, repeat, (round) => ({
        size,
        scenarios,
        service,
        expected,
        profile,
        report: report(round),
      })),
    )
  }

  const summaries = engines.flatMap((rounds) => summarise(rounds, responses))
  process.stdout.write(drawSummaries(summaries))
  if (options.json !== null) {
    const account = { ...size, bytes: service.bytes }
    const figures: Figures = { machine: machine(), account, repeat, summaries, engines }
    await writeFile(options.json, `${JSON.stringify(figures, null, 2)}\n`)
  }
}

async function measureEngine(
  name: EngineName,
  repeat: number,
  benchOf: (round: number) => Bench,
): Promise<EngineRounds> {
  const folder = await temporaryFolder()
  await using engine = await startEngine(name, folder, (url) => inChild('prepare', { url }))
  const rounds: (readonly Measurement[])[] = []
  for (let round = 1; round <= repeat; round++) rounds.push(await measureRound(benchOf(round), engine))
  return { engine: name, rounds }
}

/** Gone when the bench ends, also by a signal: Postgres is stopped before that by its own hook. */
async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-bench-'))
  // The server may run as another user than root; it must be able to reach its folder.
  await chmod(folder, 0o755)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function machine() {
  const { platform, arch, version: node } = process
  return { node, platform, arch, processor: cpus()[0]?.model ?? '', cores: availableParallelism() }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

if (import.meta.main) {
  try {
    const options = readOptions(process.argv.slice(2))
    if (options === null) process.stdout.write(help)
    else await main(options)
  } catch (error) {
    say(error instanceof ArgumentError ? `${error.message}\n\n${help}` : inspect(error))
    process.exitCode = error instanceof ArgumentError ? 2 : 1
  }
}
