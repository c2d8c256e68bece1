import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine, Prepare } from './engine.ts'

/** PGlite in folders that are copies of one made before. */
export async function startPglite(folder: string, prepare: Prepare): Promise<Engine> {
  const template = join(folder, 'pglite-template')
  let made = 0
  // A signal is to end the process by `exit`, which takes the folder away; for Postgres its own package sees to it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  const mark = await prepare(`pglite:${template}`)
  return {
    name: 'pglite',
    fresh: async () => {
      const copy = join(folder, `pglite-${(made += 1)}`)
      await cp(template, copy, { recursive: true })
      return {
        url: `pglite:${copy}`,
        mark,
        [Symbol.asyncDispose]: () => rm(copy, { recursive: true, force: true }),
      }
    },
    [Symbol.asyncDispose]: () => rm(template, { recursive: true, force: true }),
  }
}
