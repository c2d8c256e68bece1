/** Rows of a mirror as text of COPY, in parts of whole rows. */
import type { Transaction } from '../../../db/transaction.ts'
import { forEachPageRange } from './page-ranges.ts'
import { selectRows, type TableColumns } from './table-rows.ts'

/**
 * Text, for it is the same in every version of Postgres and on PGlite: its documentation promises that of no binary form. Settings of
 * the transaction fix zone, order of dates and digits.
 */
export const COPY_FORM = `format text, encoding 'UTF8'`

/** A part is handed on when it has so many bytes. */
const PART_BYTES = 1_000_000
const LINE_END = 0x0a

/** Rows of a table, each of which ends with a line break. */
export interface TablePart {
  readonly table: string
  readonly content: Buffer<ArrayBuffer>
}

export type ReceiveRows = (part: TablePart) => Promise<void>

/** Reads every table, one after the other. */
export async function readTables(
  trx: Transaction,
  tables: readonly TableColumns[],
  receive: ReceiveRows,
): Promise<void> {
  for (const columns of tables) {
    const { table } = columns
    const rows = rowCollector((content) => receive({ table, content }))
    if (trx.engine === 'postgres') await trx.copyOutParts(selectRows(columns), COPY_FORM, rows.add)
    else {
      await forEachPageRange(trx, table, async (where) => {
        let bytes = 0
        await trx.copyOutParts(selectRows(columns, where), COPY_FORM, async (part) => {
          bytes += part.byteLength
          await rows.add(part)
        })
        return bytes
      })
    }
    await rows.end()
  }
}

/** Joins what the database sends to parts that end with a row: COPY writes a line break of a value as `\n`. */
export function rowCollector(receive: (content: Buffer<ArrayBuffer>) => Promise<void>): {
  readonly add: (part: Buffer) => Promise<void>
  readonly end: () => Promise<void>
} {
  let held: Buffer[] = []
  let bytes = 0
  return {
    add: async (part) => {
      held.push(part)
      bytes += part.byteLength
      if (bytes < PART_BYTES) return
      const end = part.lastIndexOf(LINE_END) + 1
      if (end === 0) return
      held[held.length - 1] = part.subarray(0, end)
      const content = Buffer.concat(held)
      const rest = part.subarray(end)
      held = rest.byteLength === 0 ? [] : [rest]
      bytes = rest.byteLength
      await receive(content)
    },
    end: async () => {
      if (bytes > 0) await receive(Buffer.concat(held))
    },
  }
}

/** Writes each part while the next one is read: one is under way at a time, and none when this settles. */
export async function writeBehind(
  read: (receive: ReceiveRows) => Promise<void>,
  write: ReceiveRows,
): Promise<void> {
  let underWay = Promise.resolve()
  try {
    await read(async (part) => {
      await underWay
      underWay = write(part)
      // It is thrown at the next part, or at the end.
      underWay.catch(() => {})
    })
  } catch (error) {
    await underWay.catch(() => {})
    throw error
  }
  await underWay
}
