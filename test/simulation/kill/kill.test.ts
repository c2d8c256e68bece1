import { expect, inject, test } from 'vitest'
import type { Killed } from './round.ts'
import { killMany } from './kills.ts'

/** 200 and 50 of them: `npm run kill-test`. */
test.each([
  ['postgres', 3],
  ['pglite', 1],
] as const)(
  'O1: SIGKILL at random moments leaves each event wholly old or wholly new, and one more run makes all exact (%s); O10: a backfill repeats nothing that it stored',
  { timeout: 300_000 },
  async (engine, kills) => {
    const killed: Killed[] = []
    const command = inject('command')
    await killMany({
      engine,
      command,
      kills,
      seed: 5,
      events: 30,
      responses: 20,
      onKill: (one) => killed.push(one),
    })
    expect(killed).toHaveLength(kills)
    expect(killed.map(({ again }) => again)).toEqual(killed.map(() => 0))
  },
)
