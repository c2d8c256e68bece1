/** A collector that takes everything, in a process of its own: its processor time is not the run's. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

let requests = 0
let bytes = 0

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ requests, bytes }))
    return
  }
  requests += 1
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end())
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
process.stdout.write(`http://127.0.0.1:${port}\n`)
