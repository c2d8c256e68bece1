/**
 * A program that uses headcount as a library, in a process of its own: it looks at what a library must leave alone
 * before, during and after a run, and sends what it saw to the test. The options of the run are its argument.
 */
import process from 'node:process'
import type { RunOptions, RunReport } from '../../../src/index.ts'

/** What a library could change of its process. */
export interface Surroundings {
  /** Listeners of the process, by event; signals among them. */
  readonly listeners: Readonly<Record<string, number>>
  /** Which readers pg has for values, and its defaults. */
  readonly pg: string
}

export interface Seen {
  readonly report: RunReport
  readonly before: Surroundings
  readonly during: Surroundings
  readonly after: Surroundings
  /** Variables of the environment that were looked at. */
  readonly variables: readonly string[]
}

/** Types of Postgres have lower numbers than this. */
const TYPES = 5000

async function surroundings(): Promise<Surroundings> {
  const { default: pg } = await import('pg')
  const { types } = pg
  const readers = Array.from({ length: TYPES }, (_, type) =>
    numberOf(Reflect.apply(types.getTypeParser, types, [type])),
  )
  return {
    listeners: Object.fromEntries(
      process.eventNames().map((event) => [String(event), process.listenerCount(event)]),
    ),
    pg: JSON.stringify([readers, pg.defaults]),
  }
}

const known: unknown[] = []

/** The same number for the same reader. */
function numberOf(reader: unknown): number {
  const place = known.indexOf(reader)
  return place < 0 ? known.push(reader) - 1 : place
}

const variables = new Set<string>()
process.env = new Proxy(process.env, {
  get: (target, name) => {
    variables.add(String(name))
    return Reflect.get(target, name)
  },
})

const before = await surroundings()
let during = before
const { sync } = await import('../../../src/index.ts')
const options = JSON.parse(process.argv[2] ?? '') as RunOptions
const looks: Promise<void>[] = []
const look = async () => {
  during = await surroundings()
}
const report = await sync({ ...options, onProgress: () => void looks.push(look()) })
await Promise.all(looks)
const seen: Seen = { report, before, during, after: await surroundings(), variables: [...variables] }
process.send?.(seen)
