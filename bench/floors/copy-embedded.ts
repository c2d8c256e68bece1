import type { PGlite } from '@electric-sql/pglite'
import { tableNames } from '../account/rows.ts'
import type { TableName } from '../account/rows.ts'
import { copyBatches, copyEvents } from './batches.ts'
import { copyStatement, indexStatements } from './copy-text.ts'
import type { Read } from './download.ts'
import { openClient, readEvents } from './fetching.ts'

/** Downloads, parses and copies an account into the empty tables of a mirror: one COPY a table, one transaction. */
export async function copyIntoEmbedded(base: string, folder: string): Promise<Read> {
  const http = openClient(base)
  // Loaded here, as a run loads it: both pay for it.
  const { PGlite } = await import('@electric-sql/pglite')
  const pglite = await PGlite.create(folder)
  try {
    for (const statement of indexStatements) await pglite.query(statement)
    const events = await readEvents(http)
    const texts: Record<TableName, string[]> = { events: [], responses: [], payments: [], slots: [] }
    texts.events.push(copyEvents(events))
    for await (const batch of copyBatches(http, events, 5000)) {
      texts.responses.push(batch.responses)
      texts.payments.push(batch.payments)
      texts.slots.push(batch.slots)
    }
    await writeAll(pglite, texts)
    return { requests: 1 + events.length }
  } finally {
    await http.close()
    await pglite.close()
  }
}

async function writeAll(
  pglite: PGlite,
  texts: Readonly<Record<TableName, readonly string[]>>,
): Promise<void> {
  await pglite.transaction(async (transaction) => {
    for (const table of tableNames) {
      await transaction.query(copyStatement(table, "'/dev/blob'"), [], { blob: new Blob([...texts[table]]) })
    }
  })
}
