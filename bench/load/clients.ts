/** Asks a server as many clients at once, as fast as it answers. */
import { Client } from 'undici'
import type { Answered, Ask, Plan } from './plan.ts'

/**
 * @param begin called when the preparation is over
 * @throws Error at an answer that is another than it should be
 */
export async function askAsPlanned(plan: Plan, begin: () => void, stop: AbortSignal): Promise<Answered> {
  const clients = Array.from({ length: plan.clients }, () => new Client(plan.origin, { pipelining: 1 }))
  try {
    if (plan.before !== null) {
      const { ask, times } = plan.before
      await Promise.all(clients.map((client) => askInTurn(client, repeated(ask, times), 200, () => {})))
    }
    const waited: Waited[] = []
    const asks = asksOf(plan, stop)
    begin()
    const [began, spent] = [performance.now(), process.cpuUsage()]
    await Promise.all(
      clients.map((client) => askInTurn(client, asks, plan.status, (one) => waited.push(one))),
    )
    const [ms, { user, system }] = [performance.now() - began, process.cpuUsage(spent)]
    return tell(waited, ms, (user + system) / 1000)
  } finally {
    await Promise.all(clients.map((client) => client.destroy()))
  }
}

/** How long one answer took. */
interface Waited {
  readonly firstMs: number
  readonly wholeMs: number
  readonly bytes: number
}

/** One after the other, until there is nothing left; without promises, which would cost as much as the asking. */
function askInTurn(
  client: Client,
  asks: Iterator<Ask, void>,
  status: number,
  tell: (waited: Waited) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  function next(): void {
    const { value } = asks.next()
    if (value === undefined) resolve()
    else askOne(client, value, status, (waited) => (tell(waited), next()), reject)
  }
  next()
  return promise
}

function askOne(
  client: Client,
  { path, headers }: Ask,
  status: number,
  tell: (waited: Waited) => void,
  fail: (error: Error) => void,
): void {
  const began = performance.now()
  let [answered, first, bytes] = [0, 0, 0]
  client.dispatch(
    { method: 'GET', path, headers },
    {
      onRequestStart: () => {},
      onResponseStart: (_, code) => {
        answered = performance.now()
        if (code !== status) fail(new Error(`GET ${path}: ${code} instead of ${status}`))
      },
      onResponseData: (_, piece) => {
        if (bytes === 0) first = performance.now()
        bytes += piece.length
      },
      onResponseEnd: () => {
        const wholeMs = performance.now() - began
        tell({ firstMs: (bytes === 0 ? answered : first) - began, wholeMs, bytes })
      },
      onResponseError: (_, error) => fail(error),
    },
  )
}

function* repeated(ask: Ask, times: number): Generator<Ask, void> {
  for (let asked = 0; asked < times; asked++) yield ask
}

/** The same for all clients: whoever is free takes the next. */
function* asksOf({ asks, requests }: Plan, stop: AbortSignal): Generator<Ask, void> {
  const count = requests ?? Infinity
  for (let asked = 0; asked < count && !stop.aborted; asked++) {
    const ask = asks[asked % asks.length]
    if (ask === undefined) throw new RangeError('a plan without anything to ask')
    yield ask
  }
}

function tell(waited: readonly Waited[], ms: number, askingMs: number): Answered {
  return {
    requests: waited.length,
    ms,
    bytes: waited.reduce((sum, { bytes }) => sum + bytes, 0),
    p99Ms: percentile99(waited.map(({ wholeMs }) => wholeMs)),
    firstByteMs: percentile99(waited.map(({ firstMs }) => firstMs)),
    askingMs,
  }
}

function percentile99(values: readonly number[]): number {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN
}
