import { Pool } from 'undici'
import type { SentEvent } from '../account.ts'

/** As many requests at once as a run makes. */
export const AT_ONCE = 8

/** The bare client of the floors: connections kept alive, and no care for anything that can go wrong. */
export function openClient(origin: string): Pool {
  return new Pool(origin, { connections: AT_ONCE, pipelining: 1 })
}

/** Asks for a path; its body is not read yet. */
export async function get(client: Pool, path: string) {
  const { statusCode, body } = await client.request({ method: 'GET', path: `/api/v1${path}` })
  if (statusCode !== 200) throw new Error(`GET ${path}: ${statusCode}`)
  return body
}

export function responsesPath({ id }: SentEvent): string {
  return `/events/${id}/responses`
}
