import { Pool } from 'undici'
import type { SentEvent } from '../account/account.ts'

/** As many requests at once as a run makes. */
export const AT_ONCE = 8

/** The bare client of the floors: connections kept alive, and no care for anything that can go wrong. */
export interface Client {
  /** Asks for a path below the base address; its body is not read yet. */
  get(path: string, headers?: Readonly<Record<string, string>>): ReturnType<Pool['request']>
  close(): Promise<void>
}

export function openClient(base: string): Client {
  const { origin, pathname } = new URL(base)
  const pool = new Pool(origin, { connections: AT_ONCE, pipelining: 1 })
  return {
    get: async (path, headers = {}) => {
      const answer = await pool.request({ method: 'GET', path: pathname + path, headers })
      if (answer.statusCode === 200 || answer.statusCode === 304) return answer
      throw new Error(`GET ${path}: ${answer.statusCode}`)
    },
    close: () => pool.close(),
  }
}

export async function readEvents(client: Client): Promise<readonly SentEvent[]> {
  return (await (await client.get('/events')).body.json()) as SentEvent[]
}

export function responsesPath({ id }: SentEvent): string {
  return `/events/${id}/responses`
}
