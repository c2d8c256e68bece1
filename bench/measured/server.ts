import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { costOf, costTold, profiling, startNode } from './process.ts'
import type { Cost, Program } from './process.ts'
import { PREPARED } from './cost-report.ts'

/** A server that is measured while others ask it. */
export interface MeasuredServer extends AsyncDisposable {
  /** What it says that it listens on. */
  readonly url: string
  /** Its processor time is counted from now on; its memory from its start. */
  readonly begin: () => void
  /** Ends it and says what it cost. */
  readonly end: () => Promise<Pick<Cost, 'cpuMs' | 'peakBytes'>>
}

/**
 * Starts a program of Node that says `listening on <url>` when it does, and ends by SIGTERM.
 *
 * @throws Error with what it wrote to stderr when it ended before
 */
export async function startServer(program: Program): Promise<MeasuredServer> {
  const { args, env = {}, reportCost, profile } = program
  const started = { wall: Date.now(), clock: performance.now() }
  const child = startNode([...profiling(profile), '--import', reportCost, ...args], env)
  const ended = once(child, 'exit')
  const telling = costTold(child, started.clock)
  // Awaited when it is ended.
  telling.catch(() => {})
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  try {
    return {
      url: await urlTold(child.stdio[2] as Readable, args),
      begin: () => void child.kill(PREPARED),
      end: async () => {
        await stop()
        const { cpuMs, peakBytes } = costOf((await telling).told, started.wall)
        return { cpuMs, peakBytes }
      },
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function urlTold(stderr: Readable, args: readonly string[]): Promise<string> {
  let told = ''
  // The rest is read too, so that the server never waits for us.
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  stderr.setEncoding('utf8').on('data', (piece: string) => {
    told += piece
    const [, url] = /listening on (\S+)\n/.exec(told) ?? []
    if (url !== undefined) resolve(url)
  })
  stderr.once('end', () => reject(new Error(`node ${args.join(' ')} ended:\n${told}`)))
  return promise
}
