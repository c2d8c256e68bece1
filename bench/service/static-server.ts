/**
 * Serves the folders of body-files.ts, in a process of its own, where there is no nginx, and what nginx cannot: answers that
 * come late. Started by own-server.ts with the folder.
 */
import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { SLOW_MS } from './response-modes.ts'
import type { Way } from './response-modes.ts'

const folder = process.argv[2] ?? ''
const address = /^\/(plain|etag|slow)\/(\w+)\/api\/v1\/(?:(ping|events)|events\/([\w-]+)\/responses)$/
/** Beyond this a body is sent in pieces, so that this process stays small. */
const LARGEST_WHOLE = 1 << 20

let requests = 0
const server = createServer((request, response) => {
  if (request.url === '/requests') {
    response.end(String(requests))
    return
  }
  requests += 1
  answer(request, response).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    response.destroy()
  })
})
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port)
})
// The parent is gone, however it ended: nobody asks any more.
process.once('disconnect', () => process.exit(0))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, way = '', account = '', single, event] = address.exec(request.url ?? '') ?? []
  const due = way === 'slow' ? setTimeout(SLOW_MS) : null
  const names = single === undefined ? [`shown/${event}`, `original/${event}`] : [single]
  for (const name of way === '' ? [] : names) {
    const sent = await send(
      join(folder, account, `${name}.json`),
      { way: way as Way, due },
      request,
      response,
    )
    if (sent) return
  }
  await due
  response.writeHead(404).end()
}

/** Sends a file once it is `due`, which is found and read meanwhile; false when there is none. */
async function send(
  path: string,
  { way, due }: { readonly way: Way; readonly due: Promise<void> | null },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const file = await open(path).catch(() => null)
  if (file === null) return false
  await using _closing = file
  const { size, mtimeMs } = await file.stat()
  const etag = `"${Math.floor(mtimeMs / 1000).toString(16)}-${size.toString(16)}"`
  const isUnchanged = way === 'etag' && request.headers['if-none-match'] === etag
  const whole = isUnchanged || size > LARGEST_WHOLE ? null : await readFile(file)
  await due
  const headers = { 'Content-Type': 'application/json', 'Content-Length': size }
  if (isUnchanged) {
    response.writeHead(304, { ETag: etag }).end()
  } else {
    response.writeHead(200, way === 'etag' ? { ...headers, ETag: etag } : headers)
    if (whole === null) createReadStream(path).pipe(response)
    else response.end(whole)
  }
  return true
}
