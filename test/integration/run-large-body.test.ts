/**
 * A list twice as large as the heap. In every run of the tests a sixth of the fault; the whole of it, 500 MB in a
 * heap of 256 MB: LARGE_LIST_MB=500 npm test -- test/integration/run-large-body.test.ts
 */
import { createServer } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { connect } from '../../src/db/connect.ts'
import { freshPlace } from '../support/databases.ts'
import { startProcess } from '../support/process.ts'
import { testKey } from '../support/reading.ts'

const MEGABYTES = Number(process.env['LARGE_LIST_MB'] ?? 80)
const HEAP_MEGABYTES = Math.round((MEGABYTES * 256) / 500)
const MESSAGE = 500_000
const ITEMS = (MEGABYTES * 1_000_000) / MESSAGE

/** The list is made while it is sent: nobody ever has it whole. */
function* items() {
  for (let id = 1; id <= ITEMS; id += 1) {
    const message = `${id} ${'x'.repeat(MESSAGE)}`
    yield `${id === 1 ? '[' : ','}${JSON.stringify({ id, name: `Guest ${id}`, message })}`
  }
  yield ']'
}

async function startService() {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/ping') === true) response.end('{}')
    else if (request.url?.endsWith('/events') === true) response.end('[{"id":"gala","title":"The gala"}]')
    else pipeline(Readable.from(items()), response).catch(() => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the service has no port')
  return {
    url: `http://127.0.0.1:${address.port}/api/v1`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

test(
  `O9: a list of ${MEGABYTES} MB is mirrored in a heap of ${HEAP_MEGABYTES} MB`,
  { timeout: 300_000 },
  async () => {
    await using service = await startService()
    await using place = await freshPlace('postgres')
    const cli = join(import.meta.dirname, '../../src/cli.ts')
    await using run = startProcess(
      process.execPath,
      [`--max-old-space-size=${HEAP_MEGABYTES}`, cli, 'sync', '--json'],
      {
        env: { DATABASE_URL: place.url, HEADCOUNT_BASE_URL: service.url, HEADCOUNT_API_KEY: testKey },
      },
    )
    const { code, stdout, stderr } = await run.ended
    expect({ code, stderr: stderr.slice(0, 2000) }).toMatchObject({ code: 0 })
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'succeeded',
      rows: { responses: { inserted: ITEMS } },
    })
    await using database = await connect(place.url)
    const right = await database.transaction((trx) =>
      trx.query(
        `select count(*)::int from headcount.responses
          where name = 'Guest ' || id and message = id || ' ' || repeat('x', ${MESSAGE})`,
      ),
    )
    expect(right.rows).toEqual([[ITEMS]])
  },
)
