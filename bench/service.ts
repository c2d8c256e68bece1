import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'undici'
import type { AccountSize, Version } from './account.ts'
import type { Listening } from './server.ts'

/** The account of a size, served on loopback by a process of its own until it is disposed of. */
export interface Service extends AsyncDisposable, Listening {
  /** Chooses the version that is answered from now on. */
  show(version: Version): Promise<void>
}

export async function startService(size: AccountSize): Promise<Service> {
  const child = fork(new URL('./server.ts', import.meta.url), [JSON.stringify(size)])
  const ended = once(child, 'exit')
  const listening = await Promise.race([
    once(child, 'message').then(([message]) => message as Listening),
    ended.then(([code]) => Promise.reject(new Error(`The server ended before it listened (${code}).`))),
  ])
  return {
    ...listening,
    show: async (version) => {
      const { statusCode, body } = await request(`${listening.origin}/control/${version}`, { method: 'POST' })
      await body.dump()
      if (statusCode !== 204) throw new Error(`The server did not switch its version (${statusCode}).`)
    },
    [Symbol.asyncDispose]: async () => {
      child.disconnect()
      await ended
    },
  }
}
