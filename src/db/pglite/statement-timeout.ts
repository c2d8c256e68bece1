/**
 * A limit on the time of a statement on PGlite. Postgres computes in this very thread there: meanwhile no timer is called and
 * no signal is heard. So another thread keeps the time. When it is over, that one has V8 interrupt this one (by way of Node's
 * inspector, of which no port is opened) and Postgres is told what the signal of a cancel tells a server: that it shall end the
 * statement. It does so by itself at the next place where it looks, with an error (SQLSTATE 57014), and goes on as after any other.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { isMainThread, Worker } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'

export interface StatementTimeout extends AsyncDisposable {
  /** What `send` sends is cancelled when it is not done after so long. One at a time. */
  within<T>(ms: number, send: () => Promise<T>): Promise<T>
}

/** What a cancel needs of PGlite: it is not in its types, for it is there for extensions of Postgres. */
type Limited = Pick<PGlite, 'execProtocolRawSync' | 'Module'>

/** A cancel that came between two messages of a statement was in vain; it comes again. */
const AGAIN_MS = 100

/** A sleep is over when so much more time has passed; one step of `pg_sleep` is ten minutes at most. */
const AHEAD_MS = 1e9

/** It has its text here: as a module it would be one more file for whoever bundles this one. */
const timekeeper = `
const { parentPort, workerData } = require('node:worker_threads')
let current = 0
let timer
const cancel = (statement) => {
  const { Session } = require('node:inspector')
  const session = new Session()
  session.connectToMainThread()
  const expression = 'globalThis[Symbol.for("' + workerData.symbol + '")]?.(' + statement + ')'
  session.post('Runtime.evaluate', { expression }, () => {
    session.disconnect()
    if (statement === current) timer = setTimeout(cancel, workerData.againMs, statement)
  })
}
parentPort.on('message', ({ statement, ms }) => {
  clearTimeout(timer)
  current = statement
  if (ms !== null) timer = setTimeout(cancel, ms, statement)
})
parentPort.postMessage('ready')
`

/** Until it is disposed of; nothing else may be asked of that PGlite meanwhile. @throws where no statement can be ended */
export async function startStatementTimeout(pglite: Limited): Promise<StatementTimeout> {
  if (!process.features.inspector || !isMainThread) {
    throw new TypeError(
      'Statements on PGlite can be ended only in the main thread of a Node that has an inspector',
    )
  }
  const symbol = `headcount.cancel.${randomUUID()}`
  let last = 0
  let current: number | null = null
  const postgres = watchPostgres(pglite)
  Reflect.set(globalThis, Symbol.for(symbol), (statement: number) => {
    if (statement === current) postgres.cancel()
  })
  const workerData = { symbol, againMs: AGAIN_MS }
  const worker = new Worker(timekeeper, { eval: true, workerData, env: {}, execArgv: [] })
  worker.unref()
  let failed: unknown = null
  worker.on('error', (error) => {
    failed = error
  })
  const stop = async () => {
    postgres[Symbol.dispose]()
    Reflect.deleteProperty(globalThis, Symbol.for(symbol))
    await worker.terminate()
  }
  try {
    await once(worker, 'message')
  } catch (error) {
    await stop()
    throw error
  }
  return {
    within: async (ms, send) => {
      if (failed !== null) throw failed
      const statement = (last += 1)
      current = statement
      worker.postMessage({ statement, ms })
      try {
        return await send()
      } finally {
        current = null
        worker.postMessage({ statement: null, ms: null })
      }
    },
    [Symbol.asyncDispose]: stop,
  }
}

interface Watched extends Disposable {
  /** Ends what Postgres computes at this moment; nothing when it does not. Called by an interrupt, at any moment. */
  readonly cancel: () => void
}

/**
 * Knows when Postgres computes: what is marked afterwards would end another statement.
 *
 * @throws TypeError when this PGlite does not tell where its marks are
 */
function watchPostgres(pglite: Limited): Watched {
  const interrupt = addressIn(pglite, '_InterruptPending')
  const cancel = addressIn(pglite, '_QueryCancelPending')
  const run = pglite.execProtocolRawSync.bind(pglite)
  let isComputing = false
  let clock: AdvancedClock | null = null
  pglite.execProtocolRawSync = (message) => {
    isComputing = true
    try {
      return run(message)
    } finally {
      isComputing = false
      if (clock !== null) memoryOf(pglite)[cancel] = 0
      clock?.[Symbol.dispose]()
      clock = null
    }
  }
  return {
    cancel: () => {
      // guard: statements of others
      if (!isComputing) return
      const memory = memoryOf(pglite)
      memory[cancel] = 1
      memory[interrupt] = 1
      clock ??= advanceClock()
      clock.advance()
    },
    [Symbol.dispose]: () => Reflect.deleteProperty(pglite, 'execProtocolRawSync'),
  }
}

function addressIn({ Module: module }: Limited, name: string): number {
  const address: unknown = Reflect.get(module, name)
  if (typeof address !== 'number')
    throw new TypeError(`PGlite has no ${name}: its statements cannot be ended`)
  return address
}

/** Another one whenever it has grown. */
function memoryOf({ Module: module }: Limited): Uint8Array {
  const memory: unknown = Reflect.get(module, 'HEAPU8')
  if (!(memory instanceof Uint8Array))
    throw new TypeError('PGlite has no memory: its statements cannot be ended')
  return memory
}

interface AdvancedClock extends Disposable {
  readonly advance: () => void
}

/** `pg_sleep` asks for the time in a circle, and looks for a cancel only when that has passed: so it passes. */
function advanceClock(): AdvancedClock {
  const now = performance.now.bind(performance)
  let aheadMs = 0
  Reflect.defineProperty(performance, 'now', { configurable: true, value: () => now() + aheadMs })
  return {
    advance: () => {
      aheadMs += AHEAD_MS
    },
    [Symbol.dispose]: () => Reflect.deleteProperty(performance, 'now'),
  }
}
