/** `npm run kill-test`: SIGKILL at random moments over backfill and sync, as processes of their own. */
import { join } from 'node:path'
import { count, runProgram } from '../../support/commands/program.ts'
import { killMany } from './kills.ts'
import type { Killed } from './round.ts'
import type { EngineName } from '../engine/open.ts'

const cli = join(import.meta.dirname, '../../../src/cli.ts')
const help = `npm run kill-test -- [options]

  --postgres N   kills on Postgres (200)
  --pglite N     kills on PGlite (50)
  --seed N       the first seed of the moments and of the account (1)
`

const options = {
  postgres: { type: 'string', default: '200' },
  pglite: { type: 'string', default: '50' },
  seed: { type: 'string', default: '1' },
} as const

const print = (text: string) => void process.stdout.write(`${text}\n`)

/** More than the 5,000 rows of a batch, also where only changed lists are written. */
const size = { events: 90, responses: 80 }

/** Then another one begins, for history grows with each kill, and every look reads it whole. */
const KILLS_OF_A_MIRROR = 20

async function killOn(engine: EngineName, kills: number, seed: number): Promise<void> {
  const all: Killed[] = []
  while (all.length < kills) {
    await killMany({
      command: cli,
      ...size,
      engine,
      kills: Math.min(KILLS_OF_A_MIRROR, kills - all.length),
      seed: seed + all.length,
      onKill: (killed) => {
        all.push(killed)
        if (process.stderr.isTTY) process.stderr.write(`\r${engine}: ${all.length} of ${kills} kills `)
        else if (all.length % 25 === 0) print(`${engine}: ${all.length} of ${kills} kills`)
      },
    })
  }
  if (process.stderr.isTTY) process.stderr.write('\r')
  const counted = (of: (killed: Killed) => boolean) => all.filter(of).length
  const backfills = counted(({ mode }) => mode === 'backfill')
  const split = counted(({ fresh, old }) => fresh > 0 && old > 0)
  print(
    `${engine}: ${kills} kills (${backfills} in backfills, ${kills - backfills} in syncs, ${split} between two batches): ` +
      'every event wholly old or wholly new, exact after one more run',
  )
}

process.exitCode = await runProgram(help, options, async (values) => {
  const seed = count('seed', values.seed)
  const [postgres, pglite] = [count('postgres', values.postgres, 0), count('pglite', values.pglite, 0)]
  if (postgres > 0) await killOn('postgres', postgres, seed)
  if (pglite > 0) await killOn('pglite', pglite, seed)
  return true
})
