import { expect, inject, test } from 'vitest'
import { killWorkers } from './kill-workers.ts'

/** 50 accounts and 40 kills: `npm run kill-test:queue`. */
test(
  'O1 D9 SIGKILL over three workers of a queue: no two runs of an account overlap, each due time is served, nothing is lost',
  { timeout: 600_000 },
  async () => {
    const figures = await killWorkers({
      command: inject('command'),
      accounts: 4,
      workers: 3,
      kills: 3,
      seed: 3,
      everyS: 5,
      pauseMs: 2500,
      hurried: true,
      onKill: () => {},
    })
    expect(figures.dueTimes).toBeGreaterThan(0)
    expect(figures.succeeded).toBeGreaterThanOrEqual(8)
  },
)
