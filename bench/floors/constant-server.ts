/**
 * The floor of a server: a bare hono handler that gives one body to whatever is asked, over @hono/node-server with its
 * defaults. A process of its own: `constant-server.js <file of the body>`; it tells where it listens as `headcount serve` does.
 */
import { readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const body = readFileSync(process.argv[2] ?? '', 'utf8')
const app = new Hono()
app.get('*', (request) => request.body(body, 200, { 'Content-Type': 'application/json' }))
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.stderr.write(`listening on http://127.0.0.1:${port}\n`)
})
process.once('SIGTERM', () => process.exit(0))
