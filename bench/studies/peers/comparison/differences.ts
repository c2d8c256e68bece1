/**
 * What a peer's tables hold otherwise than the service: every value of every row is compared with what the generator
 * sends. Counts and sums would not do: they agree when texts are replaced by other texts.
 */
import type { Database } from '../../../../src/db/connect.ts'
import type { Transaction } from '../../../../src/db/transaction.ts'
import { tableNames, tables } from '../../../account/rows.ts'
import type { Row, TableName } from '../../../account/rows.ts'
import type { ExpectedEvent } from './expected.ts'
import { withRows } from './shown-rows.ts'

export interface Differences {
  /** Rows that should be there and are not, table by table where there are any. */
  readonly missing: Readonly<Partial<Record<TableName, number>>>
  /** Rows that should not be there, or are there twice. */
  readonly extra: Readonly<Partial<Record<TableName, number>>>
  /** Values that differ, by column (`responses.message`). */
  readonly values: Readonly<Record<string, number>>
}

/** Of our tables only: the service does not send them. */
const ours: ReadonlySet<string> = new Set(['kind', '_extra'])
const ROWS_AT_A_TIME = 5000

/** @param rows statements that show the peer's tables as views under the names of bench/account/rows.ts */
export function findDifferences(
  database: Database,
  rows: string,
  expected: Iterable<ExpectedEvent>,
): Promise<Differences> {
  return withRows(database, rows, async (trx) => {
    const comparisons: Comparison[] = []
    for (const table of tableNames) comparisons.push(await startComparison(trx, table))
    for (const event of expected) for (const comparison of comparisons) await comparison.compare(event)
    for (const comparison of comparisons) await comparison.end()
    await trx.query('close all')
    return {
      missing: counted(comparisons.map(({ table, tally }) => [table, tally.missing])),
      extra: counted(comparisons.map(({ table, tally }) => [table, tally.extra])),
      values: counted(comparisons.flatMap(({ tally }) => [...tally.values])),
    }
  })
}

function counted<Name extends string>(
  counts: readonly (readonly [Name, number])[],
): Readonly<Partial<Record<Name, number>>> & Readonly<Record<string, number>> {
  return Object.fromEntries(counts.filter(([, count]) => count > 0)) as Record<Name, number>
}

interface Tally {
  missing: number
  extra: number
  readonly values: Map<string, number>
}

/** One table, read in the order of its events while these are compared. */
interface Comparison {
  readonly table: TableName
  readonly tally: Tally
  compare(event: ExpectedEvent): Promise<void>
  /** What comes after the last event is too much. */
  end(): Promise<void>
}

async function startComparison(trx: Transaction, table: TableName): Promise<Comparison> {
  const { columns, key } = tables[table]
  const compared = columns.flatMap((column, place) => (ours.has(column) ? [] : [{ column, place }]))
  const places = key.map((column) => columns.indexOf(column))
  const keyOf = (row: Row): string => places.map((place) => row[place]).join(' ')
  const shown = columns.map((column) => (ours.has(column) ? 'null' : column))
  const tally: Tally = { missing: 0, extra: 0, values: new Map() }
  await trx.query(`declare ${table} no scroll cursor for
    select ${shown.join(', ')} from pg_temp.${table} order by ${key.join(', ')}`)
  const rows = rowsOf(trx, table)
  let next = await rows.next()

  const count = (column: string): void => {
    const name = `${table}.${column}`
    tally.values.set(name, (tally.values.get(name) ?? 0) + 1)
  }
  return {
    table,
    tally,
    compare: async (event) => {
      const found = new Map<string, Row>()
      for (; next.done !== true && String(next.value[0]) <= event.id; next = await rows.next()) {
        const row = next.value
        if (row[0] !== event.id || found.has(keyOf(row))) tally.extra += 1
        else found.set(keyOf(row), row)
      }
      for (const expected of event[table]) {
        const row = found.get(keyOf(expected))
        if (row === undefined) {
          tally.missing += 1
          continue
        }
        found.delete(keyOf(expected))
        for (const { column, place } of compared) if (row[place] !== expected[place]) count(column)
      }
      tally.extra += found.size
    },
    end: async () => {
      for (; next.done !== true; next = await rows.next()) tally.extra += 1
    },
  }
}

async function* rowsOf(trx: Transaction, cursor: string): AsyncGenerator<Row> {
  for (;;) {
    const { rows } = await trx.query(`fetch ${ROWS_AT_A_TIME} from ${cursor}`)
    yield* rows as readonly Row[]
    if (rows.length < ROWS_AT_A_TIME) return
  }
}
