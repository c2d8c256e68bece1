/** One kill: a run that is killed, a look at what it left, the run after it, and a look at what that made good. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Chance } from '../account/chance.ts'
import { momentOf, require, requireEqual, requireReplay } from '../judge/judge.ts'
import type { Moment } from '../judge/judge.ts'
import { moveOn, servedUnits } from './account.ts'
import type { KillService, ServedUnit } from './account.ts'
import type { Account } from '../account/account.ts'
import type { KillPlace } from './databases.ts'
import { look, Memory, prepareLook } from '../judge/snapshot.ts'
import type { Seen } from '../judge/snapshot.ts'
import { ownKeys } from '../service/keys.ts'
import { canonical } from '../account/items.ts'

export interface Scene {
  readonly account: Account
  readonly service: KillService
  readonly place: KillPlace
  readonly command: string
  readonly chance: Chance
  /** Events as the mirror was last found to hold them. */
  held: ReadonlyMap<string, ServedUnit>
  /** The last looks, to which history must lead back. */
  readonly moments: Moment[]
}

const MOMENTS = 3

export interface Killed {
  readonly mode: 'sync' | 'backfill'
  /** How many events were new, old, and asked for again by the run after it. */
  readonly fresh: number
  readonly old: number
  readonly again: number
  readonly isFinished: boolean
}

/** @throws Broken when the mirror is not what was promised */
export async function killOnce(scene: Scene): Promise<Killed> {
  const { account, chance, service } = scene
  moveOn(account, chance)
  const mode = chance.odds(0.5) ? 'backfill' : 'sync'
  const isFinished = await killedRun(scene, mode)
  const seen = await lookAt(scene)
  const done = requireWhole(scene, seen)
  const read = readInBackfill(seen)

  service.forget()
  const { code, stderr } = await wholeRun(scene, mode)
  requireEqual(code, 0, `the run after the kill ended badly:\n${stderr}`)
  const again = mode === 'backfill' && !isFinished ? [...read].filter((id) => service.asked.has(id)) : []
  requireEqual(again, [], 'the backfill read again what it had stored')
  const after = await lookAt(scene)
  requireEqual(liveOf(after), liveOfServed(servedUnits(account)), 'the mirror after the next run')
  scene.held = servedUnits(account)
  const { size } = servedUnits(account)
  return { mode, fresh: done, old: size - done, again: again.length, isFinished }
}

/** At a moment between the first request and some time after the last one. */
async function killedRun(scene: Scene, mode: string): Promise<boolean> {
  const { account, service, chance } = scene
  const requests = account.events.length + 2
  const at = chance.int(0, Math.ceil(requests * 1.4))
  const delay = chance.int(0, at > requests ? 600 : 40)
  const child = startRun(mode, scene)
  const ended = once(child, 'exit')
  service.forget()
  const kill = () => setTimeout(() => child.kill('SIGKILL'), delay)
  service.onRequest = (count) => {
    if (count === Math.min(Math.max(at, 1), requests)) kill()
  }
  const [code]: (number | null)[] = await ended
  service.onRequest = () => {}
  return code !== null
}

async function wholeRun(scene: Scene, mode: string): Promise<{ code: number | null; stderr: string }> {
  const child = startRun(mode, scene)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code]: (number | null)[] = await once(child, 'close')
  return { code: code ?? null, stderr }
}

function startRun(mode: string, { service: { baseUrl }, place: { url }, command }: Scene) {
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    HEADCOUNT_BASE_URL: baseUrl,
    HEADCOUNT_API_KEY: ownKeys[0],
    DATABASE_URL: url,
  }
  return spawn(process.execPath, [command, mode], { env, stdio: ['ignore', 'ignore', 'pipe'] })
}

async function lookAt({ place, moments }: Scene): Promise<Seen> {
  return place.look(async (ask) => {
    const [[table] = [null]] = await ask(`select to_regclass('headcount.accepted_rejects')::text`)
    if (table === null) return { ...nothing, at: 0 }
    await ask(prepareLook)
    const seen = await look(ask, 0, 0, new Memory())
    requireEqual(seen.orphans, 0, 'rows that hang on nothing')
    requireReplay(seen, moments)
    moments.push(momentOf(seen))
    // Each holds the whole mirror.
    moments.splice(0, moments.length - MOMENTS)
    return seen
  })
}

/** A mirror that a killed run has not made yet. */
const nothing = {
  mirror: new Map(),
  versions: [],
  runs: [],
  report: null,
  identity: { email: null, key: null },
  orphans: 0,
}

/** @returns how many events are new */
function requireWhole({ held, account }: Scene, seen: Seen): number {
  const live = liveOf(seen)
  const [old, fresh] = [liveOfServed(held), liveOfServed(servedUnits(account))]
  let done = 0
  for (const id of new Set([...Object.keys(live), ...Object.keys(old), ...Object.keys(fresh)])) {
    const is = canonical(live[id])
    if (is === canonical(fresh[id])) done += 1
    else require(is === canonical(old[id]), `after the kill, event ${id} is neither old nor new`)
  }
  return done
}

/** What the backfill that was killed has stored, and need not read again; one killed early has no run on record. */
function readInBackfill({ mirror, runs }: Seen): ReadonlySet<string> {
  const last = runs.at(-1)
  const backfill = last?.status === 'running' && last.mode === 'backfill' ? last.backfill : null
  const units = backfill === null ? [] : [...mirror]
  return new Set(units.flatMap(([id, { facts }]) => (id !== '' && facts?.backfill === backfill ? id : [])))
}

function liveOf({ mirror }: Seen): Record<string, unknown> {
  const live = [...mirror].filter(([, { record }]) => record !== null)
  return Object.fromEntries(live.map(([id, unit]) => [id, plain(unit)]))
}

function liveOfServed(units: ReadonlyMap<string, ServedUnit>): Record<string, unknown> {
  return Object.fromEntries([...units].map(([id, unit]) => [id, plain(unit)]))
}

function plain({ record, responses }: { record: unknown; responses: ReadonlyMap<string, unknown> }) {
  return { record, responses: Object.fromEntries(responses) }
}
