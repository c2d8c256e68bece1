import type { TableCounts } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { changedResponses } from '../diff/changed-responses.ts'
import type { ListChanges } from '../diff/list-diff.ts'
import { copyResponses } from './copy-responses.ts'
import { archiveResponses, isClockBehind, noteRestatedPersonal, restateResponses } from './history.ts'
import { insertChildRows, replaceChildRows } from './child-rows.ts'
import { insertRows, updateRows } from './live-rows.ts'
import { itemsOf, keyRecordset, keysOf, responseRecordset, type EventResponse } from './recordsets.ts'
import { addCounts, noCounts, chunkRows, type WriteOptions, type WriteResult } from '../statements.ts'

/**
 * Makes live responses, payments and slots equal to those of the service. Equal rows are not written. No response is
 * deleted, only the payments and slots that a response no longer has.
 */
export async function upsertResponses(
  trx: Transaction,
  options: WriteOptions,
  lists: readonly ListChanges[],
): Promise<WriteResult> {
  const { added, changed } = await changedResponses(trx, options.account, itemsOf(lists, 'differing'))
  const rows = noCounts()
  if (lists.some((list) => list.added.length > 0)) {
    if (await isClockBehind(trx)) addCounts(rows, await insertAll(trx, options, itemsOf(lists, 'added')))
    else addCounts(rows, await copyResponses(trx, lists))
  }
  // These rows were deleted by hand since the comparison.
  if (added.length > 0) addCounts(rows, await insertAll(trx, options, added))
  addCounts(rows, await (options.restoresPersonal === true ? restoreAll : updateAll)(trx, options, changed))
  const withAdded = lists.filter((list) => list.added.length > 0).map(({ list }) => list.event_id)
  return { rows, events: new Set([...withAdded, ...[...added, ...changed].map(({ event_id }) => event_id)]) }
}

/** Writes new versions of live rows. */
async function updateAll(
  trx: Transaction,
  options: WriteOptions,
  changed: readonly EventResponse[],
): Promise<TableCounts> {
  const rows = noCounts()
  for (const chunk of chunkRows(changed)) {
    const write = () => updateChunk(trx, options, chunk)
    const written = options.history
      ? await write()
      : await restateResponses(trx, options.account, keyRecordset(keysOf(chunk)), write)
    addCounts(rows, written)
  }
  return rows
}

async function updateChunk(
  trx: Transaction,
  options: WriteOptions,
  chunk: readonly EventResponse[],
): Promise<TableCounts> {
  await archiveResponses(trx, options, 'update', keysOf(chunk))
  const updated = await updateRows(trx, options, 'responses', incoming(chunk))
  const payments = await replaceChildRows(trx, options.account, 'payments', chunk)
  const slots = await replaceChildRows(trx, options.account, 'slots', chunk)
  return { ...noCounts(), responses: { inserted: 0, updated, deleted: 0 }, payments, slots }
}

/** As `updateAll`, where other personal data are stored than before. A row that differs in nothing else is the version that it was. */
async function restoreAll(
  trx: Transaction,
  options: WriteOptions,
  changed: readonly EventResponse[],
): Promise<TableCounts> {
  const compared = await changedResponses(trx, options.account, changed, { withoutPersonal: true })
  const rows = await updateAll(trx, options, compared.changed)
  if (options.history) await noteRestatedPersonal(trx, options.account, keysOf(compared.changed))
  const differing = new Set(compared.changed)
  const restored = changed.filter((item) => !differing.has(item))
  // guard: restored is not changed
  addCounts(rows, await updateAll(trx, { ...options, history: false }, restored))
  return rows
}

/** For a clock that was set back: a row begins at the end of its last version, which COPY cannot look up. */
async function insertAll(
  trx: Transaction,
  options: WriteOptions,
  responses: readonly EventResponse[],
): Promise<TableCounts> {
  const rows = noCounts()
  for (const chunk of chunkRows(responses)) {
    rows.responses.inserted += await insertRows(trx, options, 'responses', incoming(chunk))
    for (const table of ['payments', 'slots'] as const)
      rows[table].inserted += await insertChildRows(trx, options.account, table, chunk)
  }
  return rows
}

function incoming(responses: readonly EventResponse[]) {
  return { count: responses.length, rows: responseRecordset(responses) }
}
