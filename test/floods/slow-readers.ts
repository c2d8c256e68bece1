/** A thousand clients of some accounts read nothing, or next to it; meanwhile another account asks for its lists. */
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { connect } from '../../src/db/connect.ts'
import { newKey } from '../support/mirror/new-key.ts'
import { addAccount, addLargeList } from '../support/accounts/many-accounts.ts'
import { requestText } from '../support/http/raw-http.ts'
import type { Flood, SlowAsk, Statuses } from './flood.ts'

export interface FloodOptions {
  /** The program, as users get it. */
  readonly command: string
  /** Of a migrated mirror without accounts. */
  readonly database: string
  readonly clients: number
  /** Accounts of the clients, with two keys each. */
  readonly accounts: number
  /** How long the other account asks, in seconds. */
  readonly seconds: number
}

export interface Felt {
  /** In MiB, of the process that serves: before the flood, at its worst, at the end. */
  readonly memory: { readonly before: number; readonly peak: number; readonly after: number }
  /** Connections that the process had at the end, those to its database included. */
  readonly connections: number
  /** Of the other account, by list: how long each answer took until it was whole, in milliseconds; alone, and then. */
  readonly alone: ReadonlyMap<string, readonly number[]>
  readonly waited: ReadonlyMap<string, readonly number[]>
  /** Answers of the other account that were not the whole list. */
  readonly missed: readonly string[]
  readonly statuses: Statuses
}

/** Rows of some 260 bytes: 200 kB, 1.8 MB, 8 MB. */
const lists = { small: 800, whole: 7_000, large: 30_000 } as const

export async function floodWithSlowReaders(options: FloodOptions): Promise<Felt> {
  const keys = await fill(options)
  await using served = await startServe(options)
  const { port, pid } = served
  const other = keys.at(-1) ?? ''
  // Code is compiled and connections are open: what comes on top is the flood's.
  const { waited: alone } = await askFor(3, port, other)
  const before = (await memoryOf(pid)).now
  await using flood = await startFlood({ port, clients: options.clients, asks: asksOf(keys.slice(0, -1)) })
  const { waited, missed } = await askFor(options.seconds, port, other)
  const { now, peak } = await memoryOf(pid)
  const connections = (await readdir(`/proc/${pid}/fd`)).length
  return {
    memory: { before, peak, after: now },
    connections,
    alone,
    waited,
    missed,
    statuses: await flood.statuses(),
  }
}

/** @returns keys of the accounts that read slowly, and then the other's */
async function fill({ database: url, accounts }: FloodOptions): Promise<readonly string[]> {
  await using database = await connect(url)
  const keys: string[] = []
  for (let number = 0; number <= accounts; number += 1) {
    const account = number === accounts ? 'other' : `slow-${number}`
    const { key } = await addAccount(database, account)
    for (const [event, rows] of Object.entries(lists)) await addLargeList(database, { account, event, rows })
    if (number < accounts) keys.push(await newKey(database, account))
    keys.push(key)
  }
  return keys
}

/** Each list, whole and in parts that differ from client to client, compressed or not, once or many times ahead. */
function asksOf(keys: readonly string[]): readonly SlowAsk[] {
  const asks = Object.keys(lists).flatMap((list) =>
    keys.flatMap((key) => {
      const path = `/api/v1/events/${list}/responses`
      const own = ['X-API-Key', key] as const
      const parts = Array.from({ length: 40 }, (_, place) =>
        requestText(`${path}?limit=${Math.min(10_000, lists[list as keyof typeof lists]) - place}`, [own]),
      )
      const whole = requestText(path, [own])
      return [whole, whole.repeat(50), requestText(path, [own, ['Accept-Encoding', 'gzip']]), ...parts]
    }),
  )
  return asks.map((request, place) => ({ request, drips: place % 2 === 0 }))
}

interface Served extends AsyncDisposable {
  readonly port: number
  readonly pid: number
}

async function startServe({ command, database }: FloodOptions): Promise<Served> {
  const args = [command, 'serve', '--port', '0', '--quiet']
  const env = { PATH: process.env['PATH'], DATABASE_URL: database }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'pipe'] })
  const end = async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  let said = ''
  for await (const text of child.stderr.setEncoding('utf8')) {
    said += String(text)
    const [, port] = /listening on http:\/\/127\.0\.0\.1:(\d+)\//.exec(said) ?? []
    if (port === undefined) continue
    return { port: Number(port), pid: child.pid ?? 0, [Symbol.asyncDispose]: end }
  }
  throw new Error(`serve did not start:\n${said}`)
}

interface Flooding extends AsyncDisposable {
  readonly statuses: () => Promise<Statuses>
}

/** Resolves when all have asked. */
async function startFlood(flood: Flood): Promise<Flooding> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'clients.ts'), { execArgv: [] })
  const ended = once(child, 'exit')
  child.send(flood)
  await Promise.race([once(child, 'message'), ended])
  return {
    statuses: async () => {
      child.send('statuses')
      const [statuses]: unknown[] = await once(child, 'message')
      return statuses as Statuses
    },
    [Symbol.asyncDispose]: async () => {
      child.disconnect()
      await ended
    },
  }
}

/** In MiB. */
async function memoryOf(pid: number): Promise<{ readonly now: number; readonly peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
  return { now: of('VmRSS'), peak: of('VmHWM') }
}

async function askFor(seconds: number, port: number, key: string) {
  const waited = new Map<string, number[]>()
  const missed: string[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    for (const list of Object.keys(lists)) {
      const began = performance.now()
      const miss = await ask(port, key, list)
      if (miss !== null) missed.push(miss)
      waited.set(list, [...(waited.get(list) ?? []), performance.now() - began])
    }
    await sleep(100)
  }
  return { waited, missed }
}

/** @returns what is wrong with the answer */
async function ask(port: number, key: string, list: string): Promise<string | null> {
  try {
    const url = `http://127.0.0.1:${port}/api/v1/events/${list}/responses`
    const { statusCode, body } = await request(url, { headers: { 'X-API-Key': key } })
    const items: unknown = await body.json()
    const length = Array.isArray(items) ? items.length : 0
    if (statusCode === 200 && length === lists[list as keyof typeof lists]) return null
    return `${list}: ${statusCode}, ${length} items`
  } catch (error) {
    return `${list}: ${String(error)}`
  }
}
