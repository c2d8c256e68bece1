/** What is measured of a server: it is started, made ready, and asked by another process. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pLimit from 'p-limit'
import { request } from 'undici'
import { connect } from '../../src/db/connect.ts'
import { newKey } from '../../test/support/mirror/new-key.ts'
import { createAccount } from '../account/account.ts'
import type { AccountShape } from '../account/account.ts'
import { responsesPath } from '../floors/fetching.ts'
import { startServer } from '../measured/server.ts'
import type { MeasuredServer } from '../measured/server.ts'
import type { Done, Place, Tools } from '../runner/work.ts'
import type { Answered, Ask, Plan } from './plan.ts'
import { load, startLoad } from './start.ts'

/** As many clients as ask for lists. */
export const CLIENTS = 32
/** How often each list is asked for where it does not matter that it was before. */
const TIMES = 20
/** Of each client, before the clock runs. */
const PINGS = 50
/** Who asks with a right key while others knock. */
const WELCOME_CLIENTS = 4
const WRONG_KEY = { 'X-API-Key': 'hc_wrong' }

/** A server that listens, and the headers that it wants. */
interface Open {
  readonly base: URL
  readonly headers: Readonly<Record<string, string>>
}

interface Made {
  readonly answered: Answered
  readonly cost: Pick<Done['cost'], 'cpuMs' | 'peakBytes'>
}

export const serving = {
  /** The same bytes from files, by the web server of the bench. */
  serveFiles: async (_, { base, shape }) => {
    const open = { base: new URL(base), headers: {} }
    const answered = await load(againAndAgain(open, shape, pathsOf(open, shape)), () => {})
    return { answered, cost: { cpuMs: null, peakBytes: null } }
  },
  /** One body, as large as a list, by a bare handler. */
  serveConstant: async (tools, place) => {
    const { base, shape } = place
    const [list] = pathsOf({ base: new URL(base), headers: {} }, { ...shape, events: 1 })
    const file = join(tools.folder, 'constant.json')
    await writeFile(file, await text((await request(new URL(list?.path ?? '', base))).body))
    await using server = await start(tools, place, [tools.compiled.constantServer, file], {})
    const open = { base: new URL(new URL(base).pathname, server.url), headers: {} }
    return await ask(server, againAndAgain(open, shape, pathsOf(open, shape)))
  },
  /** Each list for the first time. */
  serveFirst: async (tools, place) => {
    await using served = await startServing(tools, place)
    const asks = pathsOf(served, place.shape)
    return await ask(served.server, { ...againAndAgain(served, place.shape, asks), requests: asks.length })
  },
  /** Lists that were asked for before. */
  serveAgain: async (tools, place) => {
    await using served = await startServing(tools, place)
    const asks = pathsOf(served, place.shape)
    await validatorsOf(served, asks)
    return await ask(served.server, againAndAgain(served, place.shape, asks))
  },
  /** Lists that the clients have. */
  serveUnchanged: async (tools, place) => {
    await using served = await startServing(tools, place)
    const asks = await validatorsOf(served, pathsOf(served, place.shape))
    return await ask(served.server, { ...againAndAgain(served, place.shape, asks), status: 304 })
  },
  /** Many connections with wrong keys; the time and the figures of it are those of the few who have a right one. */
  serveRefused: async (tools, place) => {
    const { events, responses } = place.shape
    await using served = await startServing(tools, place)
    const asks = pathsOf(served, place.shape)
    await using welcome = startLoad({
      ...againAndAgain(served, place.shape, asks),
      clients: WELCOME_CLIENTS,
      requests: null,
    })
    await welcome.begun
    const refused = asks.map(({ path }) => ({ path, headers: WRONG_KEY }))
    const burst: Plan = {
      origin: served.base.origin,
      clients: events,
      asks: refused,
      requests: events * responses,
      status: 401,
      before: null,
    }
    const { requests, ms, askingMs, bytes } = await load(burst, served.server.begin)
    welcome.stop()
    const { p99Ms, firstByteMs } = await welcome.answered
    return {
      answered: { requests, ms, askingMs, bytes, p99Ms, firstByteMs },
      cost: await served.server.end(),
    }
  },
  /** One list as a whole, once. */
  serveLarge: async (tools, place) => {
    await using served = await startServing(tools, place)
    const asks = pathsOf(served, place.shape)
    return await ask(served.server, {
      ...againAndAgain(served, place.shape, asks),
      clients: 1,
      requests: 1,
    })
  },
} satisfies Record<string, (tools: Tools, place: Place) => Promise<Made>>

export type Serving = keyof typeof serving

export async function serve(work: Serving, tools: Tools, place: Place): Promise<Done> {
  const { answered, cost } = await serving[work](tools, place)
  const { ms, requests } = answered
  return { cost: { ms, ...cost, parts: null }, requests, answered }
}

async function ask(server: MeasuredServer, plan: Plan): Promise<Made> {
  const answered = await load(plan, server.begin)
  return { answered, cost: await server.end() }
}

/** Every list of the account, in its order. */
function pathsOf({ base, headers }: Open, shape: AccountShape): readonly Ask[] {
  const account = createAccount(shape)
  return Array.from({ length: shape.events }, (_, place) => ({
    path: base.pathname + responsesPath(account.event(place)),
    headers,
  }))
}

function againAndAgain({ base, headers }: Open, { events }: AccountShape, asks: readonly Ask[]): Plan {
  const ping = { path: `${base.pathname}/ping`, headers }
  return {
    origin: base.origin,
    clients: CLIENTS,
    asks,
    requests: events * TIMES,
    status: 200,
    before: { ask: ping, times: PINGS },
  }
}

/** Asks for each list once; the same questions with what the answers were known by. */
function validatorsOf({ base }: Open, asks: readonly Ask[]): Promise<readonly Ask[]> {
  return pLimit(CLIENTS).map(asks, async ({ path, headers }) => {
    const { headers: told, body } = await request(new URL(path, base), { headers })
    await body.dump({ limit: Infinity })
    return { path, headers: { ...headers, 'If-None-Match': String(told['etag']) } }
  })
}

type Served = Open & AsyncDisposable & { readonly server: MeasuredServer }

/** `headcount serve` on the mirror, with a key made for it. */
async function startServing(tools: Tools, place: Place): Promise<Served> {
  const url = place.url ?? ''
  const key = await makeKey(url)
  const args = [tools.compiled.command, 'serve', '--port', '0', '--quiet']
  const server = await start(tools, place, args, { DATABASE_URL: url })
  return {
    base: new URL(server.url),
    headers: { 'X-API-Key': key },
    server,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function makeKey(url: string): Promise<string> {
  await using database = await connect(url)
  return await newKey(database)
}

function start(
  { compiled, profile }: Tools,
  { name }: Place,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<MeasuredServer> {
  const to = profile === null ? null : { folder: profile, name }
  return startServer({ args, env, reportCost: compiled.reportCost, profile: to })
}
