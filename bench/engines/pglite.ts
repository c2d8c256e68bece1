import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeEmpty } from './write-counters.ts'
import type { Engine, Mirror } from './engine.ts'

/** PGlite in folders that are copies of one made before. */
export async function startPglite(folder: string): Promise<Engine> {
  let made = 0
  const template = join(folder, 'pglite-empty')
  const mirrorIn = (place: string, mark: Mirror['mark']): Mirror => ({
    url: `pglite:${place}`,
    mark,
    [Symbol.asyncDispose]: () => rm(place, { recursive: true, force: true }),
  })
  const empty = mirrorIn(template, await makeEmpty(`pglite:${template}`))
  return {
    name: 'pglite',
    empty,
    copy: async ({ url, mark }) => {
      const place = join(folder, `pglite-${(made += 1)}`)
      await cp(url.slice('pglite:'.length), place, { recursive: true })
      return mirrorIn(place, mark)
    },
    [Symbol.asyncDispose]: () => empty[Symbol.asyncDispose](),
  }
}
