/** `npm run floods`: what a thousand clients that read slowly do to `headcount serve`. */
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleCommand } from '../../build/command.ts'
import { count, runProgram } from '../support/commands/program.ts'
import type { Values } from '../support/commands/program.ts'
import { startPostgres } from '../support/databases/postgres.ts'
import { floodWithSlowReaders } from './slow-readers.ts'

const help = `npm run floods -- [options]

  Serves a mirror in a Postgres of its own as a process of its own, on this machine only. Clients of several accounts
  ask for lists and read nothing of them, or 64 bytes every 10 s; meanwhile another account asks for its own. Ends
  with 0 when the memory of the process stays bounded, the other account gets every list in time, and nobody who
  reads so slowly is connected at the end. Needs /proc (Linux).

  --clients N   how many read slowly (1000)
  --accounts N  of how many accounts, with two keys each (4)
  --seconds N   how long (90; whoever reads nothing is cut after 60)
`

const MOST_MEMORY_MIB = 300
const MAX_WAIT_MS = 2_000
/** On a machine that is busy with other things: so many times as long as without the flood. */
const LONGEST_WAIT_TIMES = 3
/** Of the process itself: to its database, to who asks, and its own. */
const OWN_CONNECTIONS = 60
const CUT_AFTER_SECONDS = 85

const options = {
  clients: { type: 'string', default: '1000' },
  accounts: { type: 'string', default: '4' },
  seconds: { type: 'string', default: '90' },
} as const
process.exitCode = await runProgram(help, options, flood)

async function flood(values: Values<typeof options>): Promise<boolean> {
  await using opened = new AsyncDisposableStack()
  const command = await bundled(opened)
  const postgres = await startPostgres()
  try {
    const seconds = count('seconds', values.seconds)
    const felt = await floodWithSlowReaders({
      command,
      database: `${postgres.url}/mirror_template`,
      clients: count('clients', values.clients),
      accounts: count('accounts', values.accounts),
      seconds,
    })
    const { memory, connections, alone, waited, missed, statuses } = felt
    const mib = (amount: number) => `${amount.toFixed(0)} MiB`
    say(
      `memory of serve: ${mib(memory.before)} before, ${mib(memory.peak)} at its worst, ${mib(memory.after)} at the end`,
    )
    say(`open at the end: ${connections} of ${values.clients} slow ones and its own`)
    say(`answers to the slow ones: ${JSON.stringify(statuses)}`)
    const faults = [
      ...(memory.peak > MOST_MEMORY_MIB ? [`more memory than ${mib(MOST_MEMORY_MIB)}`] : []),
      ...(seconds >= CUT_AFTER_SECONDS && connections > OWN_CONNECTIONS
        ? ['who reads nothing is still connected']
        : []),
      ...missed,
    ]
    for (const [list, times] of waited) {
      const before = alone.get(list) ?? []
      const allowed = Math.max(MAX_WAIT_MS, LONGEST_WAIT_TIMES * Math.max(...before))
      say(`the other account's ${list} list: ${spread(before)} alone, ${spread(times)} in the flood`)
      if (Math.max(...times) > allowed)
        faults.push(`the ${list} list took longer than ${allowed.toFixed(0)} ms`)
    }
    for (const fault of faults) say(`FAULT: ${fault}`)
    say(faults.length === 0 ? 'bounded, and fair' : 'not so')
    return faults.length === 0
  } finally {
    await postgres.stop()
  }
}

function spread(times: readonly number[]): string {
  const middle = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
  return `${times.length} times, ${middle.toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`
}

/** The program as it is installed, below node_modules, where it finds PGlite. */
async function bundled(opened: AsyncDisposableStack): Promise<string> {
  const root = join(import.meta.dirname, '../..')
  const folder = join(root, 'node_modules/.cache', `headcount-floods-${process.pid}`)
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'src'), { recursive: true })
  const started = 'src/headcount.cjs'
  for (const file of ['package.json', started]) await copyFile(join(root, file), join(folder, file))
  await bundleCommand(join(folder, 'dist/command'))
  return join(folder, started)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
