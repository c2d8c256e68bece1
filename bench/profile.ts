/**
 * Where the time of a process went: `node bench/profile.ts FILE…`, each a profile left by `--profile`.
 *
 * Self time by place: a room of src, a package, Node itself, the loading of modules (before the clock of the bench
 * runs, but for the drivers), or what the profiler names in brackets, such as the garbage collector; `(idle)` is
 * waiting, for the service or for the database server.
 */
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { MAPS } from './measured/compiled.ts'
import { drawTable, right } from '../src/commands/output/format/table.ts'

/** The part of V8's format that is read here; times in microseconds. */
interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: CallFrame
  readonly children?: readonly number[]
}

/** Lines and columns from 0. */
interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

const LOADING = 'loading modules'
/** Places with less than this share of the whole are added up. */
const SMALLEST_SHARE = 0.01

function placesOf(
  { nodes, samples, timeDeltas }: Profile,
  numberText: SourceOf,
): ReadonlyMap<string, number> {
  const places = new Map<number, string>()
  // A node comes before its children: what it says of them is known when they are reached.
  for (const { id, callFrame, children = [] } of nodes) {
    const place = places.get(id) ?? placeOf({ ...callFrame, url: numberText(callFrame) })
    places.set(id, place)
    if (place === LOADING) for (const child of children) places.set(child, LOADING)
  }
  const times = new Map<string, number>()
  for (const [index, sample] of samples.entries()) {
    const place = places.get(sample) ?? '(unknown)'
    times.set(place, (times.get(place) ?? 0) + (timeDeltas[index] ?? 0) / 1000)
  }
  return times
}

function placeOf({ functionName, url }: CallFrame): string {
  if (url.startsWith('node:internal/modules/')) return LOADING
  if (url.startsWith('wasm:')) return 'wasm'
  if (url.startsWith('node:')) return 'node'
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? []
  if (name !== undefined) return name
  const [, room] = /\/((?:src|bench|migrations)\/[^/]+)(?:\/[^/]+)*$/.exec(url) ?? []
  if (room !== undefined) return room
  return functionName.startsWith('(') ? functionName : 'built-in'
}

/** The file that a function was written in: of one in the bundle, what its map says. */
type SourceOf = (frame: CallFrame) => string

function readMaps(folder: string): SourceOf {
  const maps = new Map<string, SourceMap | null>()
  return ({ url, lineNumber, columnNumber }) => {
    const path = join(folder, MAPS, `${basename(url)}.map`)
    if (!maps.has(path)) maps.set(path, readMap(path))
    const entry = maps.get(path)?.findEntry(lineNumber, columnNumber)
    return entry !== undefined && 'originalSource' in entry ? entry.originalSource : url
  }
}

function readMap(path: string): SourceMap | null {
  if (!existsSync(path)) return null
  return new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload)
}

function draw(times: ReadonlyMap<string, number>): string {
  const whole = [...times.values()].reduce((sum, ms) => sum + ms, 0)
  const [large, small] = [new Map<string, number>(), { ms: 0 }]
  for (const [place, ms] of times) {
    if (ms < whole * SMALLEST_SHARE) small.ms += ms
    else large.set(place, ms)
  }
  const rows = [...[...large].toSorted(([, a], [, b]) => b - a), ['others', small.ms] as const]
  return drawTable(
    ['place', right('ms'), right('share')],
    rows.map(([place, ms]) => [place, ms.toFixed(0), `${((100 * ms) / whole).toFixed(1)} %`]),
    { width: null },
  )
}

for (const file of process.argv.slice(2)) {
  const profile = JSON.parse(await readFile(file, 'utf8')) as Profile
  process.stdout.write(`${basename(file)}\n${draw(placesOf(profile, readMaps(dirname(file))))}\n`)
}
