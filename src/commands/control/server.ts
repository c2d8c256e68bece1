/** The side of the process that has a folder open: does calls for others, over the folder's control socket. */
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { withCommandName } from '../../common/command-name.ts'
import type { Database } from '../../db/connect.ts'
import { DatabaseError, UsageError } from '../../common/errors.ts'
import { quote } from '../../common/parse-values.ts'
import { version } from '../../common/version.ts'
import type { Caller } from '../../mirror/calls/call.ts'
import { loadCall } from '../../mirror/calls/calls.ts'
import { MAX_WAIT_MS } from '../../mirror/query/query-errors.ts'
import { decodeRequest, encodeError, encodeLine } from './messages.ts'
import { socketAddress } from './socket.ts'

const LOOK_EVERY_MS = 100

export interface ControlOptions {
  readonly database: Database
  /** How long others who use the database here wait for it: runs, and clients of what is served. */
  readonly waitedMs: () => number
}

export interface Control {
  /** Takes no more calls, and gives those under way so long to end. */
  close(graceMs: number): Promise<void>
}

/** @throws what the system says where no socket can be: a file system without them, a path that is too long */
export async function listenForCalls(folder: string, options: ControlOptions): Promise<Control> {
  const underWay = new Set<Promise<void>>()
  const app = new Hono()
  app.post('/:call', async (context) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const called = { name: context.req.param('call'), body: await context.req.text() }
    const answering = answer(called, options, writable).finally(() => underWay.delete(answering))
    underWay.add(answering)
    return context.body(readable, 200, { 'Content-Type': 'application/x-ndjson' })
  })
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false, hostname: 'localhost' })
  const server = createServer((request, response) => void listener(request, response))
  const address = await socketAddress(folder)
  try {
    // Of a process that was killed: the folder is ours now.
    await rm(address.path, { force: true })
    server.listen(address.path)
    await once(server, 'listening')
    await chmod(address.path, /* guard: socket for its owner */ 0o600)
  } catch (error) {
    server.close()
    await address[Symbol.asyncDispose]()
    throw error
  }
  return {
    close: async (graceMs) => {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(cut)
      await Promise.allSettled(underWay)
      await address[Symbol.asyncDispose]()
    },
  }
}

/** Never throws: a client that has gone hears nothing. */
async function answer(
  { name, body }: { readonly name: string; readonly body: string },
  { database, waitedMs }: ControlOptions,
  to: WritableStream<Uint8Array>,
): Promise<void> {
  const encoder = new TextEncoder()
  const writer = to.getWriter()
  const write = (line: string) => writer.write(encoder.encode(line))
  const keptMs = watchOthers(waitedMs)
  const caller: Caller = {
    receive: (part) => unlessOthersWait(() => write(encodeLine('part', part)), keptMs),
    maxStatementMs: async () => {
      // Who came while the last statement computed is heard first.
      await turn()
      // guard: others before queries
      return MAX_WAIT_MS - keptMs()
    },
  }
  try {
    const request = decodeRequest(body)
    // guard: version of the caller
    requireSameVersion(request.version)
    const call = await loadCall(name)
    // guard: calls of the socket
    if (call === null) throw new UsageError(`There is no call ${quote(name)}.`)
    const value = await withCommandName(request.command, () =>
      call.runSent(database, request.input, { ...caller, force: request.force }),
    )
    await write(encodeLine('value', value))
  } catch (error) {
    await write(encodeError(error)).catch(() => {})
  }
  await writer.close().catch(() => {})
}

function requireSameVersion(theirs: string): void {
  if (theirs === version()) return
  throw new UsageError(
    `The process that has the folder open (process ${process.pid}) is headcount ${version()}, and this is ${theirs}: ` +
      'use the same version, or stop that process first',
  )
}

/**
 * For how long somebody else has waited for the database by now, at most: who came while a statement computed was not seen
 * coming, so it counts from the last moment at which nobody waited.
 */
function watchOthers(waitedMs: () => number): () => number {
  // Asked for the first time when it is the query's turn: who has kept them until then was another.
  let freeAt: number | null = null
  return () => {
    const now = performance.now()
    if (freeAt === null || waitedMs() === 0) freeAt = now
    return now - freeAt
  }
}

/** Waits for the reader of an answer, who may be slow, as long as nobody else is kept waiting for longer than he may be. */
async function unlessOthersWait(write: () => Promise<void>, keptMs: () => number): Promise<void> {
  const requireNobody = () => {
    // guard: runs before queries
    if (keptMs() < MAX_WAIT_MS) return
    throw new DatabaseError(
      `query: ended, for a run or a client of serve waited ${MAX_WAIT_MS / 1000} s for the folder. Ask for less at once, or keep the mirror in Postgres, which many processes can use at once.`,
    )
  }
  requireNobody()
  const written = write().then(() => true)
  written.catch(() => {})
  while (!(await Promise.race([written, sleep(LOOK_EVERY_MS, false)]))) requireNobody()
}
