import { finished } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { TableName } from '../account/rows.ts'
import { copyBatches, copyEvents } from './batches.ts'
import type { CopyBatch } from './batches.ts'
import { copyStatement, indexStatements } from './copy-text.ts'
import type { Read } from './download.ts'
import { openClient, readEvents } from './fetching.ts'

const CONNECTIONS = 2
const ROWS_PER_TRANSACTION = 5000

/**
 * Downloads, parses and copies an account into the empty tables of a mirror, on two connections. Batches commit
 * as a run's do, without waiting for the disk; the events come last and wait for it, and so for all before them.
 */
export async function copyIntoPostgres(base: string, url: string): Promise<Read> {
  const http = openClient(base)
  const connections = Array.from({ length: CONNECTIONS }, () => new Client(url))
  try {
    await Promise.all(connections.map((connection) => connection.connect()))
    const [first] = connections
    for (const statement of indexStatements) await first?.query(statement)
    const events = await readEvents(http)
    const batches = copyBatches(http, events, ROWS_PER_TRANSACTION)
    await Promise.all(
      connections.map(async (connection) => {
        for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
          await writeBatch(connection, next.value)
        }
      }),
    )
    if (first !== undefined) await copy(first, 'events', copyEvents(events))
    return { requests: 1 + events.length }
  } finally {
    await Promise.all([http.close(), ...connections.map((connection) => connection.end())])
  }
}

async function writeBatch(connection: Client, batch: CopyBatch): Promise<void> {
  await connection.query('begin')
  await connection.query('set local synchronous_commit = off')
  await copy(connection, 'responses', batch.responses)
  await copy(connection, 'payments', batch.payments)
  await copy(connection, 'slots', batch.slots)
  await connection.query('commit')
}

async function copy(connection: Client, table: TableName, lines: string): Promise<void> {
  const stream = connection.query(copyFrom(copyStatement(table, 'stdin')))
  stream.end(lines)
  await finished(stream)
}
