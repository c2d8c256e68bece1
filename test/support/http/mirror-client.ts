/** A client of a served mirror that keeps what it was given, and asks whether it is still so: as another mirror does. */
import { request } from 'undici'
import { expect } from 'vitest'
import { keyOf, type Serving } from './serving.ts'
import type { Target } from '../runs/stage.ts'

export const EVENTS = '/events'
export const responsesTo = (id: string): string => `/events/${encodeURIComponent(id)}/responses`

export interface MirrorClient {
  /** The list as it is served now, to who asks with what he has and to who asks with nothing. */
  readonly read: (path: string) => Promise<Served>
  /** The same from another process, which has nothing in memory. */
  readonly readFrom: (serving: Serving, path: string) => Promise<Served>
}

export interface Served {
  readonly status: number
  readonly etag: string
  readonly body: string
}

/** Throughout its life, equal entity-tags must be equal bytes. */
export async function mirrorClient(target: Target, serving: Serving): Promise<MirrorClient> {
  const key = await keyOf(target)
  const had = new Map<string, Served>()
  const bodies = new Map<string, string>()

  async function ask({ url }: Serving, path: string, etag: string | null): Promise<Served> {
    const headers = { 'X-API-Key': key, ...(etag !== null && { 'If-None-Match': etag }) }
    const answer = await request(`${url}${path}`, { headers })
    const body = await answer.body.text()
    const made = { status: answer.statusCode, etag: String(answer.headers['etag']), body }
    if (made.status !== 200) return made
    expect(made.body).toBe(bodies.get(`${path} ${made.etag}`) ?? made.body)
    bodies.set(`${path} ${made.etag}`, made.body)
    return made
  }

  async function readFrom(from: Serving, path: string): Promise<Served> {
    const known = had.get(path)
    const asked = await ask(from, path, known?.etag ?? null)
    const got = asked.status === 304 && known !== undefined ? known : asked
    expect(await ask(from, path, null)).toEqual(got)
    had.set(path, got)
    return got
  }

  return { read: (path) => readFrom(serving, path), readFrom }
}
