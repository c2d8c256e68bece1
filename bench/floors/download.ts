import pLimit from 'p-limit'
import type { SentEvent } from '../account/account.ts'
import { AT_ONCE, openClient, responsesPath } from './fetching.ts'
import type { Client } from './fetching.ts'

/** What a floor read. */
export interface Read {
  readonly requests: number
  /** Of the bodies; where nothing else tells that all was read. */
  readonly bytes?: number
  /** Of one query: how long the server took, in milliseconds. */
  readonly ms?: number
}

/** Reads one body and returns its bytes. */
type Reading = (client: Client, path: string) => Promise<number>

/** Reads every list of the account, eight at once, and throws the bodies away. */
export function download(base: string): Promise<Read> {
  return readAll(base, async (client, path) => {
    let bytes = 0
    for await (const piece of (await client.get(path)).body) bytes += (piece as Buffer).length
    return bytes
  })
}

/** Reads every list of the account, eight at once, parses it, and throws it away. */
export function downloadAndParse(base: string): Promise<Read> {
  return readAll(base, async (client, path) => {
    const body = Buffer.from(await (await client.get(path)).body.arrayBuffer())
    JSON.parse(body.toString())
    return body.length
  })
}

async function readAll(base: string, read: Reading): Promise<Read> {
  const client = openClient(base)
  try {
    const ping = await read(client, '/ping')
    const list = await (await client.get('/events')).body.text()
    const events = JSON.parse(list) as SentEvent[]
    const place = pLimit(AT_ONCE)
    const sizes = await place.map(events, (event) => read(client, responsesPath(event)))
    return { bytes: ping + Buffer.byteLength(list) + sum(sizes), requests: 2 + sizes.length }
  } finally {
    await client.close()
  }
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0)
}
