/**
 * Lists twice as large as the heap. In every run of the tests a sixth of the fault, and only of the one in order; the whole
 * of it, 500 MB in a heap of 256 MB: LARGE_LIST_MB=500 npm test -- test/integration/sync/fetch/large-body.test.ts
 */
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, inject, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { freshPlace } from '../../../support/databases/databases.ts'
import { startProcess } from '../../../support/commands/process.ts'
import { listenOnLoopback } from '../../../support/http/loopback.ts'
import { testKey } from '../../../support/http/reading.ts'

const MEGABYTES = Number(process.env['LARGE_LIST_MB'] ?? 80)
const HEAP_MEGABYTES = Math.round((MEGABYTES * 256) / 500)

interface List {
  /** Characters of each message. */
  readonly message: number
  /** In the order in which they are sent. */
  readonly ids: () => Iterable<number>
}

const countOf = ({ message }: Pick<List, 'message'>) => Math.round((MEGABYTES * 1_000_000) / message)

/** The list is made while it is sent: nobody ever has it whole. */
function* items({ message, ids }: List) {
  let before = '['
  for (const id of ids()) {
    yield `${before}${JSON.stringify({ id, name: `Guest ${id}`, message: `${id} ${'x'.repeat(message)}` })}`
    before = ','
  }
  yield ']'
}

function* inOrder(count: number) {
  for (let id = 1; id <= count; id += 1) yield id
}

/** The even ones, the odd ones, and then the first once more. */
function* outOfOrder(count: number) {
  for (let id = 2; id <= count; id += 2) yield id
  for (let id = 1; id <= count; id += 2) yield id
  yield 2
}

function startService(list: List) {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/ping') === true) response.end('{}')
    else if (request.url?.endsWith('/events') === true) response.end('[{"id":"gala","title":"The gala"}]')
    else pipeline(Readable.from(items(list)), response).catch(() => undefined)
  })
  return listenOnLoopback(server)
}

async function expectMirrored(list: List): Promise<void> {
  await using service = await startService(list)
  await using place = await freshPlace('postgres')
  await using run = startProcess(
    process.execPath,
    [`--max-old-space-size=${HEAP_MEGABYTES}`, inject('command'), 'sync', '--json'],
    {
      env: {
        DATABASE_URL: place.url,
        HEADCOUNT_BASE_URL: `http://127.0.0.1:${service.port}/api/v1`,
        HEADCOUNT_API_KEY: testKey,
      },
    },
  )
  const { code, stdout, stderr } = await run.ended
  expect({ code, stderr: stderr.slice(0, 2000) }).toMatchObject({ code: 0 })
  const count = countOf(list)
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'succeeded',
    rows: { responses: { inserted: count } },
  })
  await using database = await connect(place.url)
  const right = await database.transaction((trx) =>
    trx.query(
      `select count(*)::int from headcount.responses
        where name = 'Guest ' || id and message = id || ' ' || repeat('x', ${list.message})`,
    ),
  )
  expect(right.rows).toEqual([[count]])
}

test(
  `O9: a list of ${MEGABYTES} MB is mirrored in a heap of ${HEAP_MEGABYTES} MB`,
  { timeout: 300_000 },
  async () => {
    const message = 500_000
    await expectMirrored({ message, ids: () => inOrder(countOf({ message })) })
  },
)

test.runIf(process.env['LARGE_LIST_MB'])(
  `P21: a list of ${MEGABYTES} MB with its ids out of order, one of them twice, is mirrored in a heap of ${HEAP_MEGABYTES} MB`,
  { timeout: 1_800_000 },
  async () => {
    const message = 500
    await expectMirrored({ message, ids: () => outOfOrder(countOf({ message })) })
  },
)
