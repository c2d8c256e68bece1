/** `npm run kill-test:queue`: SIGKILL at random moments over the workers of a queue. */
import { join } from 'node:path'
import { count, runProgram } from '../../support/commands/program.ts'
import { killWorkers } from './kill-workers.ts'

const cli = join(import.meta.dirname, '../../../src/cli.ts')
const help = `npm run kill-test:queue -- [options]

  --workers N    processes that share the accounts (3)
  --accounts N   accounts of one service (50)
  --kills N      kills, one worker each (40)
  --every N      seconds of the schedule (10)
  --seed N       the seed of the moments and of what changes (1)
`

const options = {
  workers: { type: 'string', default: '3' },
  accounts: { type: 'string', default: '50' },
  kills: { type: 'string', default: '40' },
  every: { type: 'string', default: '10' },
  seed: { type: 'string', default: '1' },
} as const

process.exitCode = await runProgram(help, options, async (values) => {
  const kills = count('kills', values.kills)
  const workers = count('workers', values.workers)
  const accounts = count('accounts', values.accounts)
  const { runs, succeeded, abandoned, dueTimes, servedAfterS } = await killWorkers({
    command: cli,
    workers,
    accounts,
    kills,
    seed: count('seed', values.seed),
    everyS: count('every', values.every),
    pauseMs: 8000,
    hurried: false,
    onKill: (done) => {
      if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${kills} kills `)
      else if (done % 10 === 0) process.stdout.write(`${done} of ${kills} kills\n`)
    },
  })
  if (process.stderr.isTTY) process.stderr.write('\r')
  process.stdout.write(
    `${kills} kills of ${workers} workers with ${accounts} accounts: ${runs} runs (${succeeded} good, ${abandoned} killed), none of an account ` +
      `beside another; ${dueTimes} due times, each served, after ${servedAfterS.median} s (median), ${servedAfterS.p95} s (95 %), ` +
      `${servedAfterS.max} s (longest); every row as the service has it\n`,
  )
  return true
})
