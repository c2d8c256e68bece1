/**
 * `npm run bench:peers`: what users would otherwise pick, beside headcount, on the same service and the same Postgres,
 * with the floors before and after. Each is run cold, unchanged, and after edits and deletions, and is compared with
 * the service value by value.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { inspect } from 'node:util'
import { formatNumber } from '../../../src/common/text/number.ts'
import { runProgram } from '../../../test/support/commands/program.ts'
import { accountsOf } from '../../account/accounts.ts'
import { enginesIn } from '../../engines/engines.ts'
import { compile } from '../../measured/compiled.ts'
import { startService } from '../../service/service.ts'
import { temporaryFolder } from '../../runner/temporary-folder.ts'
import type { Measured } from './report/figures.ts'
import { measureFloors } from './floors.ts'
import type { Floor } from './floors.ts'
import { declared, help, optionsOf } from './options.ts'
import type { Options } from './options.ts'
import { installPackages } from '../../../test/support/commands/python-packages.ts'
import { sizes } from './peers.ts'
import type { Peer, Size } from './peers.ts'
import { measurePeer } from './series.ts'
import type { Bench, Series } from './series.ts'
import { contend, requirementsOf } from './report/contenders.ts'
import { drawPeers } from './report/table.ts'
import { drawTargets } from './report/targets.ts'

const [BEGIN, END] = ['<!-- peers:begin -->', '<!-- peers:end -->']
const began = performance.now()

/** Returns whether every peer gave its figures. */
async function main(options: Options): Promise<boolean> {
  const pythons = await installAll(options)
  const shapes = accountsOf(options.events, options.responses)
  const measuredSizes = sizes.filter((size) => options.peers.some((peer) => peer.sizes.includes(size)))
  const folder = await temporaryFolder()
  say('compiling, and making the accounts')
  const compiled = await compile(
    join(folder, 'compiled'),
    null,
    join(import.meta.dirname, 'compiled.tsconfig.json'),
  )
  await using engines = enginesIn(folder)
  await using service = await startService(
    folder,
    shapes,
    new Map(measuredSizes.map((size) => [size, ['original', 'edited']])),
  )
  const engine = await engines.engine('postgres')
  const { limitMs } = options
  const floors: Floor[] = []
  const series: Series[] = []
  for (let round = 1; round <= options.repeat; round++) {
    for (const size of measuredSizes.filter((size) => round === 1 || size === 'whole')) {
      const { events, responses } = shapes[size]
      const report = (text: string): void =>
        say(`round ${round}, ${formatNumber(events)} × ${formatNumber(responses)}: ${text}`)
      const bench: Bench = { folder, compiled, engine, service, shapes, limitMs, say: report }
      floors.push(...(await measureFloors(bench, size)))
      for (const peer of options.peers.filter((one) => one.sizes.includes(size))) {
        series.push(await measureInstalled(bench, peer, pythons, size))
      }
      floors.push(...(await measureFloors(bench, size)))
    }
  }

  const contenders = await Promise.all(options.peers.map(contend))
  const measured: Measured = { floors, series }
  const tables = measuredSizes.map((size) => {
    const { events, responses } = shapes[size]
    const title = `${formatNumber(events)} events of ${formatNumber(responses)} responses, served by ${service.server}:`
    return `${title}\n\n${drawPeers(contenders, size, measured)}\n`
  })
  const text = tables.join('') + drawTargets(measured)
  process.stdout.write(text)
  if (options.write !== null) await writeBetweenMarks(options.write, text)
  return series.every(({ failure }) => failure === null)
}

/** The Python of each folder of packages, or why there is none. */
async function installAll({ peers, folder }: Options): Promise<ReadonlyMap<string, string | Error>> {
  const pythons = new Map<string, string | Error>()
  for (const name of new Set(peers.flatMap(({ packages }) => packages?.folder ?? []))) {
    const place = resolve(folder, name)
    say(`installing ${name} into ${place}`)
    const python = await installPackages(requirementsOf(name), place).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    )
    if (python instanceof Error) say(`${name} is left out: ${inspect(python)}`)
    pythons.set(name, python)
  }
  return pythons
}

async function measureInstalled(
  bench: Bench,
  peer: Peer,
  pythons: ReadonlyMap<string, string | Error>,
  size: Size,
): Promise<Series> {
  const python = peer.packages === null ? '' : (pythons.get(peer.packages.folder) ?? '')
  if (typeof python === 'string') return measurePeer(bench, peer, python, size)
  return { peer: peer.name, size, runs: [], failure: `not run: ${python.message}` }
}

/** @throws Error when the document does not have both marks. */
async function writeBetweenMarks(file: string, text: string): Promise<void> {
  const before = await readFile(file, 'utf8')
  const [head, rest] = before.split(BEGIN)
  const [, tail] = rest?.split(END) ?? []
  if (tail === undefined) throw new Error(`${file} has no ${BEGIN} with ${END} after it.`)
  await writeFile(file, `${head}${BEGIN}\n\n${text}\n${END}${tail}`)
}

function say(text: string): void {
  process.stderr.write(`${String(Math.round((performance.now() - began) / 1000)).padStart(4)} s  ${text}\n`)
}

process.exit(await runProgram(help, declared, (values) => main(optionsOf(values))))
