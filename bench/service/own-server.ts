import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'undici'
import type { WebServer } from './service.ts'

/** The bench's own server over a folder of sites, until it is disposed of. */
export async function startOwnServer(folder: string): Promise<WebServer> {
  const child = fork(new URL('./static-server.ts', import.meta.url), [folder])
  const ended = once(child, 'exit')
  const port = await Promise.race([
    once(child, 'message').then(([message]) => Number(message)),
    ended.then(([code]) => Promise.reject(new Error(`The server ended before it listened (${code}).`))),
  ])
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    requests: async () => Number(await (await request(`${origin}/requests`)).body.text()),
    [Symbol.asyncDispose]: async () => {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
