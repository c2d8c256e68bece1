/** What a process and its mirror take up, between two runs. */
import { readdir } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { Ask } from '../engine/engine.ts'
import type { EngineName } from '../engine/open.ts'

/** What the database takes up. */
export interface Stored {
  /** Of the runs, at the server; null where there is none. */
  readonly connections: number | null
  /** kB of tables and indexes, but for history, after a vacuum: what was freed can be used again. */
  readonly tables: number
  /** Rows that a vacuum had to take away. */
  readonly dead: number | null
  readonly history: number
}

export interface Figures extends Stored {
  readonly when: string
  /** MB, after the garbage was collected. */
  readonly rss: number
  readonly heap: number
  readonly files: number
}

export async function takeStored(ask: Ask, engine: EngineName): Promise<Stored> {
  const one = async (text: string) => Number((await ask(text))[0]?.[0])
  const ofServer = async (text: string) => (engine === 'postgres' ? one(text) : null)
  const connections = await ofServer(
    `select count(*) from pg_stat_activity where application_name = 'headcount'`,
  )
  const dead = await ofServer(
    `select sum(n_dead_tup) from pg_stat_user_tables where schemaname = 'headcount'`,
  )
  const names = await ask(
    `select format('headcount.%I', tablename) from pg_tables where schemaname = 'headcount' order by tablename`,
  )
  for (const [name] of names) await ask(`vacuum ${name}`)
  const tables = await one(
    `select sum(pg_total_relation_size(c.oid)) / 1024 from pg_class c
      where c.relnamespace = 'headcount'::regnamespace and c.relkind = 'r' and c.relname not like '%history'`,
  )
  const history = await one(
    `select (select count(*) from headcount.event_history) + (select count(*) from headcount.response_history)`,
  )
  return { connections, tables: Math.round(tables), dead, history }
}

/** Of this process, when no database is open in it. */
export async function takeFigures(when: string, stored: Stored): Promise<Figures> {
  for (let rounds = 0; rounds < 3; rounds++) {
    globalThis.gc?.()
    await setImmediate()
  }
  const { rss, heapUsed } = process.memoryUsage()
  const files = (await readdir('/proc/self/fd')).length
  return { when, rss: mb(rss), heap: mb(heapUsed), files, ...stored }
}

function mb(bytes: number): number {
  return Math.round(bytes / 1e5) / 10
}

/** How much each may have grown; tables first reach the size at which what vacuum frees is used again. */
const bounds = {
  heap: { since: 'first', most: (before: number) => before + 10 },
  // PGlite's memory is 600 MB, and is given back some time after it was closed.
  rss: { since: 'half', most: (before: number) => before * 1.25 + 100 },
  connections: { since: 'first', most: (before: number) => before },
  files: { since: 'first', most: (before: number) => before + 3 },
  tables: { since: 'half', most: (before: number) => before * 1.2 + 500 },
} as const

/** In words, what grew beyond its bound. */
export function grown(first: Figures, half: Figures, last: Figures): readonly string[] {
  return (Object.keys(bounds) as (keyof typeof bounds)[]).flatMap((name) => {
    const { since, most } = bounds[name]
    const [before, is] = [{ first, half }[since][name] ?? 0, last[name] ?? 0]
    return is > most(before) ? `${name} grew from ${before} to ${is}, beyond ${Math.round(most(before))}` : []
  })
}

export function lineOf({ when, rss, heap, connections, files, tables, dead, history }: Figures): string {
  const cells = [rss, heap, connections ?? '-', files, tables, dead ?? '-', history]
  return when.padEnd(12) + cells.map((cell) => String(cell).padStart(12)).join('')
}

export const heading =
  'after'.padEnd(12) +
  ['rss MB', 'heap MB', 'connections', 'open files', 'tables kB', 'dead rows', 'history']
    .map((name) => name.padStart(12))
    .join('')
