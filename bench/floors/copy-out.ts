import { Client } from 'pg'
import { columnTypes } from '../../src/common/schema/live-tables.ts'
import type { Read } from './download.ts'

export const EXPORTED = ['events', 'responses', 'payments', 'slots'] as const

/** Lets the server write the live tables as CSV, in the order of their keys, to where nothing is kept. */
export async function copyOut(url: string): Promise<Read> {
  const client = new Client(url)
  await client.connect()
  try {
    const start = performance.now()
    for (const table of EXPORTED) {
      const key = ['account_id', 'event_id', 'id', 'response_id', 'position']
      const order = key.filter((column) => column === 'account_id' || column in columnTypes(table))
      await client.query(
        `copy (select * from headcount.${table} order by ${order.join(', ')}) to '/dev/null' with (format csv, header)`,
      )
    }
    return { requests: 0, ms: performance.now() - start }
  } finally {
    await client.end()
  }
}
