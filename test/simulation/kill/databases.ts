/** Databases for the kill test: a run in a process of its own opens them, and between runs the test looks. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Client } from 'pg'
import { startPostgres } from '../../support/databases/postgres.ts'
import { asText } from '../engine/as-text.ts'
import type { Ask } from '../engine/engine.ts'
import type { EngineName } from '../engine/open.ts'

export interface KillPlace extends AsyncDisposable {
  readonly url: string
  /** Only while no run is under way. */
  look<T>(work: (ask: Ask) => Promise<T>): Promise<T>
}

export function openKillPlace(engine: EngineName): Promise<KillPlace> {
  return engine === 'postgres' ? onPostgres() : onPglite()
}

async function onPostgres(): Promise<KillPlace> {
  const { url: server, stop } = await startPostgres()
  const url = `${server}/mirror_template`
  return {
    url,
    look: async (work) => {
      const client = new Client({
        connectionString: url,
        types: { getTypeParser: () => (text: string) => text },
      })
      await client.connect()
      try {
        return await work(
          async (text) => (await client.query<(string | null)[]>({ text, rowMode: 'array' })).rows,
        )
      } finally {
        await client.end()
      }
    },
    [Symbol.asyncDispose]: stop,
  }
}

async function onPglite(): Promise<KillPlace> {
  const parent = await mkdtemp(join(tmpdir(), 'headcount-kill-'))
  const folder = join(parent, 'data')
  return {
    url: `pglite:${folder}`,
    look: async (work) => {
      await using pglite = await PGlite.create(folder)
      return await work(async (text) => {
        const { rows } = await pglite.query<(string | null)[]>(text, [], {
          rowMode: 'array',
          parsers: asText,
        })
        return rows
      })
    },
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }),
  }
}
