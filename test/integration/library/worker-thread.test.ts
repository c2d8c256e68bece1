/** The library in a worker thread, where no statement on PGlite can be ended. */
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { sync } from '../../../src/index.ts'
import { accountOf } from '../../support/accounts/account.ts'
import { freshPlace } from '../../support/databases/databases.ts'
import { send, startFaultServer } from '../../support/http/fault-server.ts'
import { testKey } from '../../support/http/reading.ts'

const library = join(import.meta.dirname, '../../../src/index.ts')

const inWorker = `
  const { parentPort, workerData: { library, database } } = require('node:worker_threads')
  const said = async (call) => { try { return await call } catch (error) { return error.message } }
  import(library).then(async ({ query, status }) => {
    parentPort.postMessage({
      status: await said(status({ database })),
      query: await said(query({ database, sql: 'select 1' })),
    })
  })`

test('on a PGlite folder status answers, and query, which could not be ended, names what to do', async () => {
  await using place = await freshPlace('pglite')
  await using service = await startFaultServer()
  service.always(send((request) => accountOf({ gala: 3 }).answer(request)))
  await sync({ database: place.url, baseUrl: service.baseUrl.href, apiKey: testKey })
  const worker = new Worker(inWorker, { eval: true, workerData: { library, database: place.url } })
  const [answers] = (await once(worker, 'message')) as unknown[]
  expect(answers).toEqual({
    status: [expect.objectContaining({ account: 'default', rsvp_without_meaning: [] })],
    query: expect.stringContaining('open the PGlite yourself and give it as `pglite`') as string,
  })
  await once(worker, 'exit')
})
