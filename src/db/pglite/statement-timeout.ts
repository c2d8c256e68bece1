/**
 * A time-out for a statement on PGlite. Postgres computes in this thread: meanwhile no timer fires and no signal handler
 * runs. So a worker thread keeps the time. At the time-out it interrupts V8 in this thread, through Node's inspector and
 * without an open port. The interrupt sets the flags that a cancel signal sets in a server. Postgres then ends the
 * statement by itself with SQLSTATE 57014.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { isMainThread, Worker } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'

export interface StatementTimeout extends AsyncDisposable {
  /** Cancels the statement of `send` after so many ms. One statement at a time. */
  within<T>(ms: number, send: () => Promise<T>): Promise<T>
}

/** The internals of PGlite that a cancel needs. They exist for extensions of Postgres. */
type Limited = Pick<PGlite, 'execProtocolRawSync' | 'Module'>

/** A cancel between two messages of a statement has no effect; it is repeated. */
const AGAIN_MS = 100

/** Longer than one step of `pg_sleep`, which is ten minutes at most. */
const AHEAD_MS = 1e9

/** As text: a module would be one more file for programs that bundle this one. */
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

/** Whether this thread of this Node can cancel a statement. */
export const canCancelStatements = process.features.inspector && isMainThread

/** Until it is disposed of, nothing else may use the PGlite. @throws TypeError where no statement can be cancelled */
export async function startStatementTimeout(pglite: Limited): Promise<StatementTimeout> {
  if (!canCancelStatements) {
    throw new TypeError(
      'Statements on PGlite can be ended only in the main thread of a Node that has an inspector. Call from there, or open the PGlite yourself and give it as `pglite`: its statements are not ended',
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
  /** Cancels the statement that Postgres executes now, if there is one. Called by an interrupt, at any moment. */
  readonly cancel: () => void
}

/**
 * Tracks when Postgres executes: a flag set afterwards would cancel another statement.
 *
 * @throws TypeError when this PGlite does not export its flags
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

/** Read on each use: the object changes whenever the memory grows. */
function memoryOf({ Module: module }: Limited): Uint8Array {
  const memory: unknown = Reflect.get(module, 'HEAPU8')
  if (!(memory instanceof Uint8Array))
    throw new TypeError('PGlite has no memory: its statements cannot be ended')
  return memory
}

interface AdvancedClock extends Disposable {
  readonly advance: () => void
}

/** `pg_sleep` polls the clock, and checks for a cancel only at the end of the time. So the clock is advanced. */
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
