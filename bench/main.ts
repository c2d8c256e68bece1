import { writeFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { formatNumber } from '../src/common/text/number.ts'
import { runProgram } from '../test/support/commands/program.ts'
import { accountsOf } from './account/accounts.ts'
import type { AccountName, Accounts } from './account/accounts.ts'
import type { Version } from './account/versions.ts'
import { enginesIn } from './engines/engines.ts'
import { compile, MEASURED } from './measured/compiled.ts'
import { measuredOf } from './scenarios/measurements.ts'
import type { MeasurementName } from './scenarios/measurements.ts'
import { declared, help, optionsOf } from './runner/options.ts'
import type { Options } from './runner/options.ts'
import { measureRound } from './runner/round.ts'
import type { Bench, Round } from './runner/round.ts'
import { measurementsFor } from './scenarios/scenarios.ts'
import { startService } from './service/service.ts'
import type { Needed } from './service/service.ts'
import { summarise } from './figures/summary.ts'
import type { Summary } from './figures/summary.ts'
import { drawAnswered, drawParts, drawSummaries, drawVerdicts } from './figures/tables.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'
import { judge } from './figures/verdicts.ts'
import type { Verdict } from './figures/verdicts.ts'

/** What `--json` writes. */
export interface Figures {
  readonly machine: ReturnType<typeof machine>
  readonly server: string
  readonly accounts: Accounts
  readonly verdicts: readonly Verdict[]
  readonly summaries: readonly Summary[]
  readonly rounds: readonly Round[]
}

/** Returns whether every measurement gave its figures. */
async function main(options: Options): Promise<boolean> {
  const { scenarios, profile, repeat } = options
  const names = measurementsFor(scenarios)
  const accounts = accountsOf(options.events, options.responses)
  const folder = await temporaryFolder()
  say(`${formatNumber(options.events)} events of ${formatNumber(options.responses)} responses`)
  const compiled = await compile(join(folder, 'compiled'), profile)
  await using engines = enginesIn(folder)
  await using service = await startService(folder, accounts, neededFor(names))
  const rounds: Round[] = []
  for (let round = 1; round <= repeat; round++) {
    const report: Bench['report'] = (text) => say(`round ${round} of ${repeat}: ${text}`)
    const { engine } = engines
    rounds.push(await measureRound({ accounts, service, compiled, folder, profile, engine, report }, names))
  }

  const [verdicts, summaries] = [judge(scenarios, rounds, accounts), summarise(rounds)]
  const { server } = service
  const measured = profile === null ? MEASURED : 'a bundle of its own, with maps'
  process.stdout.write(
    `${drawVerdicts(verdicts)}\nMeasured: ${measured}. Served by ${server}.\n\n${drawSummaries(summaries)}`,
  )
  const parts = summaries.find(({ name }) => name === 'start')?.parts
  if (parts) process.stdout.write(`\nThe start:\n\n${drawParts(parts)}`)
  if (summaries.some(({ answered }) => answered !== null))
    process.stdout.write(`\nServers:\n\n${drawAnswered(summaries)}`)
  if (options.json !== null) {
    const figures: Figures = { machine: machine(), server, accounts, verdicts, summaries, rounds }
    await writeFile(options.json, `${JSON.stringify(figures, null, 2)}\n`)
  }
  return rounds.every(({ failures }) => failures.length === 0)
}

/** Every version that is shown, after the original, from which each mirror is loaded. */
function neededFor(names: readonly MeasurementName[]): Needed {
  const needed = new Map<AccountName, Set<Version>>()
  for (const { account, shows } of names.map(measuredOf)) {
    needed.set(account, (needed.get(account) ?? new Set<Version>(['original'])).add(shows))
  }
  return new Map([...needed].map(([account, versions]) => [account, [...versions]]))
}

function machine() {
  const { platform, arch, version: node } = process
  return { node, platform, arch, processor: cpus()[0]?.model ?? '', cores: availableParallelism() }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

if (import.meta.main) process.exit(await runProgram(help, declared, (values) => main(optionsOf(values))))
