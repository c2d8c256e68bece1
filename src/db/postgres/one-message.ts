/** Statements that go out together, in one message and so in one round trip: above all with those that begin their transaction. */
import {
  escapeLiteral,
  Query,
  type Connection,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg'
import { UsageError } from '../../common/errors.ts'
import { statementSettings } from '../transaction.ts'

/**
 * Where no other role can put functions, operators and types, which would run with the rights of this one. Without `pg_temp` at the end,
 * temporary types would come first.
 */
// guard: search path
const SEARCH_PATH = 'pg_catalog, pg_temp'

/** Statements whose settings hold until the transaction ends: a pooling proxy gives the session to others. A role that only reads may lack the right to call `set_config`. */
export function setLocal(settings: Readonly<Record<string, string>>): readonly string[] {
  const values = Object.entries(settings).map(
    ([name, value]) => `set local ${name} to ${escapeLiteral(value)}`,
  )
  return [...values, `set local search_path to ${SEARCH_PATH}`]
}

/** Of a statement outside of transactions. */
const SETTINGS = setLocal(statementSettings)

const LEADING_COMMENTS = /^(?:\s|--[^\n]*\n|\/\*.*?\*\/)*/s
/** Postgres runs these in no transaction. pg-boss sends them, and names no function in them without its schema. */
const NOT_IN_TRANSACTION =
  /^(?:(?:create|drop)\s+(?:unique\s+)?index\s+concurrently|reindex\s+\w+\s+concurrently)\b/i

/** Statements of pg-boss, behind the settings of their first transaction; what begins the text stays there, for it may be looked for. */
export function pinned(text: string): string {
  const [comments = ''] = LEADING_COMMENTS.exec(text) ?? []
  const statements = text.slice(comments.length)
  // guard: path of the queue
  return NOT_IN_TRANSACTION.test(statements) ? text : `${comments}${[...SETTINGS, statements].join('; ')}`
}

interface TimedConfig extends QueryConfig {
  readonly query_timeout: number
}

/** Statements without values. */
export interface Neighbours {
  readonly first: readonly string[]
  readonly last: readonly string[]
}

/** Around a statement of no open transaction. */
export const OWN_TRANSACTION: Neighbours = {
  first: ['begin isolation level read committed', ...SETTINGS],
  last: ['commit'],
}

type Receive<Row extends QueryResultRow> = (error: Error | null, result: QueryResult<Row>) => void

/** What pg's types say otherwise, or not at all. */
interface Wire extends Pick<Connection, 'stream' | 'sync'> {
  readonly parse: (message: { readonly text: string }) => void
  readonly bind: (message: object) => void
  readonly execute: (message: object) => void
}
interface Received {
  readonly requiresPreparation: () => boolean
  readonly submit: (connection: Wire) => unknown
  readonly handleCommandComplete: (message: unknown, connection: Wire) => void
}

/**
 * A statement for pg's client that goes out with others, which have no values, in one message: `first` before it and `last` after it. When
 * one fails, the server leaves out those behind it, and a transaction that was begun waits for its rollback.
 */
export function inOneMessage<Row extends QueryResultRow>(
  client: PoolClient,
  config: TimedConfig,
  { first, last }: Neighbours,
  receive: Receive<Row>,
): Query {
  const OwnQuery = queryClassOf(client)
  const query = new OwnQuery(config, receive as unknown as ConstructorParameters<typeof Query>[1])
  const { submit, handleCommandComplete } = query as unknown as Received
  let completed = 0
  const within: Received = {
    // Older versions of pg do not know `queryMode`.
    requiresPreparation: () => true,
    submit: (connection) => {
      connection.stream.cork()
      try {
        for (const text of first) execute(connection, text)
        return submit.call(query, sendingLast(connection, last))
      } finally {
        connection.stream.uncork()
      }
    },
    handleCommandComplete: (message, connection) => {
      if (completed === first.length) handleCommandComplete.call(query, message, connection)
      completed += 1
    },
  }
  return Object.assign(query, within, { query_timeout: config.query_timeout })
}

/**
 * The statement of the copy of pg that made the client: a program has its own copy beside this one when it asks for another version, and what a
 * statement needs of its connection differs between versions. Of the prototype, as an object around a client may bind what it hands out.
 */
function queryClassOf(client: PoolClient): typeof Query {
  if ('native' in client)
    throw new UsageError(
      'The given pool has connections of pg-native, which headcount cannot use. Make it with the class Pool of pg, not with that of pg.native.',
    )
  const made: unknown = Reflect.get(Object(Reflect.getPrototypeOf(client)), 'constructor')
  const found: unknown = typeof made === 'function' ? Reflect.get(made, 'Query') : undefined
  // guard: statements of another copy of pg
  return typeof found === 'function' ? (found as typeof Query) : Query
}

/** The same connection, which sends these before it asks the server to be ready again. */
function sendingLast(connection: Wire, last: readonly string[]): Wire {
  const sync = () => {
    for (const text of last) execute(connection, text)
    connection.sync()
  }
  return Object.create(connection, { sync: { value: sync } }) as Wire
}

function execute(connection: Wire, text: string): void {
  connection.parse({ text })
  connection.bind({})
  connection.execute({})
}
