import { createServer } from 'node:net'
import { listenOnLoopback } from './loopback.ts'

/** Outside of what the system itself gives away to whoever asks for any port: nobody else takes it in between. */
const LOWEST = 10_000
const HOW_MANY = 20_000

/** A port of this machine that nobody listens on now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * HOW_MANY)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  try {
    await using _probe = await listenOnLoopback(createServer(), port)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false
    throw error
  }
}
