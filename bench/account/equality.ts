/** Whether a mirror holds exactly what the service sends: a hash over every value of every row, table by table. */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../src/db/connect.ts'
import type { Transaction } from '../../src/db/transaction.ts'
import type { SentEvent, SentResponse } from './account.ts'
import { eventRow, paymentRow, responseRow, slotRows, tableNames, tables } from './rows.ts'
import type { Row, TableName } from './rows.ts'

/** What a table holds: its number of rows, and SHA-256 over them in the order of the key. */
export interface TableDigest {
  readonly rows: number
  readonly sha256: string
}

export type Digests = Readonly<Record<TableName, TableDigest>>

const ROWS_PER_PAGE = 20_000

/** What the mirror of an account must hold: its rows, each as a line, given in the order of their keys. */
export function startDigests() {
  const [events, responses, payments, slots] = [digest(), digest(), digest(), digest()]
  return {
    addEvent(event: SentEvent): void {
      events.add([lineOf(eventRow(event))])
    },
    addResponses(lines: readonly ResponseLines[]): void {
      responses.add(lines.map(({ response }) => response))
      payments.add(lines.flatMap(({ payment }) => payment ?? []))
      slots.add(lines.flatMap(({ slots }) => slots))
    },
    end: (): Digests => ({
      events: events.end(),
      responses: responses.end(),
      payments: payments.end(),
      slots: slots.end(),
    }),
  }
}

/** The rows of one response. */
export interface ResponseLines {
  readonly response: string
  readonly payment: string | null
  readonly slots: readonly string[]
}

export function linesOf({ id }: SentEvent, response: SentResponse): ResponseLines {
  const payment = paymentRow(id, response)
  return {
    response: lineOf(responseRow(id, response)),
    payment: payment && lineOf(payment),
    slots: slotRows(id, response).map(lineOf),
  }
}

/** What a mirror holds, read in one view of it. */
export function mirrorDigests(database: Database): Promise<Digests> {
  return database.transaction(
    async (trx) => ({
      events: await digestOf(trx, 'events'),
      responses: await digestOf(trx, 'responses'),
      payments: await digestOf(trx, 'payments'),
      slots: await digestOf(trx, 'slots'),
    }),
    { readOnly: true },
  )
}

/** @throws Error naming the tables that differ: figures of a wrong mirror are worth nothing. */
export function requireEqual(what: string, found: Digests, expected: Digests): void {
  const differing = tableNames.filter((table) => !isDeepStrictEqual(found[table], expected[table]))
  if (differing.length === 0) return
  const tell = (table: TableName): string =>
    found[table].rows === expected[table].rows
      ? `${table}: values differ`
      : `${table}: ${found[table].rows} rows instead of ${expected[table].rows}`
  throw new Error(`${what} is not what the service sends (${differing.map(tell).join('; ')}).`)
}

async function digestOf(trx: Transaction, table: TableName): Promise<TableDigest> {
  const { key, columns } = tables[table]
  const places = key.map((column) => columns.indexOf(column))
  const whole = digest()
  let after: readonly unknown[] = []
  do {
    const page = await trx.query(pageOf(table, after.length > 0), after)
    whole.add(page.rows.map((row) => lineOf(row as Row)))
    const last = page.rows.length === ROWS_PER_PAGE ? page.rows.at(-1) : undefined
    after = last === undefined ? [] : places.map((place) => last[place])
  } while (after.length > 0)
  return whole.end()
}

function pageOf(table: TableName, isNext: boolean): string {
  const { key, columns } = tables[table]
  const keys = key.join(', ')
  const next = isNext ? `and (${keys}) > (${key.map((_, place) => `$${place + 1}`).join(', ')})` : ''
  return `select ${columns.join(', ')}
            from headcount.${table}
           where account_id = 1 ${next}
           order by account_id, ${keys}
           limit ${ROWS_PER_PAGE}`
}

function lineOf(row: Row): string {
  return `${JSON.stringify(row)}\n`
}

function digest() {
  const hash = createHash('sha256')
  let rows = 0
  return {
    add(lines: readonly string[]): void {
      rows += lines.length
      hash.update(lines.join(''))
    },
    end: (): TableDigest => ({ rows, sha256: hash.digest('hex') }),
  }
}
