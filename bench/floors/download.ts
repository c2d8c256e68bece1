import pLimit from 'p-limit'
import type { Pool } from 'undici'
import type { SentEvent } from '../account.ts'
import { AT_ONCE, get, openClient, responsesPath } from './fetching.ts'

/** Reads every list of the account, eight at once, and throws the bodies away. Returns their bytes. */
export async function download(origin: string): Promise<number> {
  const client = openClient(origin)
  try {
    const ping = await drain(client, '/ping')
    const list = await (await get(client, '/events')).text()
    const place = pLimit(AT_ONCE)
    const sizes = await place.map(JSON.parse(list) as SentEvent[], (event) =>
      drain(client, responsesPath(event)),
    )
    return ping + Buffer.byteLength(list) + sizes.reduce((sum, size) => sum + size, 0)
  } finally {
    await client.close()
  }
}

async function drain(client: Pool, path: string): Promise<number> {
  let bytes = 0
  for await (const piece of await get(client, path)) bytes += (piece as Buffer).length
  return bytes
}
