import { buffer } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import type { PoolClient, QueryConfig, QueryResult as PgQueryResult, QueryResultRow } from 'pg'
import { from as copyFrom, to as copyTo, type CopyToStreamQuery } from 'pg-copy-streams'
import { MAX_TIMER_MS, toError } from '../../common/abort.ts'
import { DatabaseError } from '../../common/errors.ts'
import { toDatabaseError } from '../errors/database-error.ts'
import { needsOtherConnection } from '../errors/sqlstate.ts'
import { observeStatement } from '../../telemetry/statements.ts'
import type { QueryResult, ReceivePart } from '../transaction.ts'
import { parserFor } from '../type-parsers.ts'
import { inOneMessage, OWN_TRANSACTION, pinned, type Neighbours } from './one-message.ts'
import type { Connections } from './watched-pool.ts'

/** An option of pg that its types lack. */
interface TimedQuery extends QueryConfig {
  readonly query_timeout: number
}

interface ExtendedQuery extends TimedQuery {
  /** One text is then one statement, also without values: as on PGlite. pg's types lack it too. */
  readonly queryMode: 'extended'
}

/**
 * As without a name, which is what the driver sends for it. OpenTelemetry's instrumentation of pg adds comments to statements that have none, in a
 * copy without the methods of a statement: the first answer of the server would end the process.
 */
// guard: statements that are not copied
const UNNAMED = ''

/** Parsers for one query: the pool and pg's global parsers stay unchanged. */
const types: NonNullable<QueryConfig['types']> = { getTypeParser: (type: number) => parserFor(type) }

/** A connection borrowed from a pool. Its statements throw DatabaseError, TransactionConflictError. */
export class Session {
  readonly #client: PoolClient
  readonly #pool: Connections
  readonly #label: string
  #unusable: Error | null = null
  #answerMs = 330_000
  /** Statements that wait for the next one. */
  #ahead: string[] = []

  constructor(client: PoolClient, pool: Connections, label: string) {
    this.#client = client
    this.#pool = pool
    this.#label = label
  }

  /** Sends one statement; rows as arrays. */
  readonly query = async (text: string, values: readonly unknown[] = []): Promise<QueryResult> => {
    const config = { ...this.#extended(text, values), rowMode: 'array' as const }
    const { fields, rows, rowCount } = await this.#observed(text, this.#sendWithAhead<unknown[]>(config))
    return {
      columns: fields.map((field) => ({ name: field.name, type: field.dataTypeID })),
      rows,
      count: rowCount,
    }
  }

  /** As `query`, with rows as objects. */
  readonly queryObjects = (text: string, values: readonly unknown[]): Promise<PgQueryResult> =>
    this.#observed(text, this.#sendWithAhead(this.#extended(text, values)))

  /** Sends statements without values in one message with the next one, whatever that is. */
  readonly sendWithNext = (statements: readonly string[]): void => void this.#ahead.push(...statements)

  /** As `queryObjects`, in a transaction of its own and still in one round trip. */
  readonly queryInOwnTransaction = async (
    text: string,
    values: readonly unknown[] = [],
  ): Promise<PgQueryResult> => {
    try {
      // guard: path of one statement
      return await this.#observed(text, this.#sendWith(OWN_TRANSACTION, this.#extended(text, values)))
    } catch (error) {
      await this.rollback()
      throw error
    }
  }

  /**
   * Sends what another library wrote: rows as objects with the driver's own types. A text without values may hold several
   * statements; the rows of all of them are returned, in their order. Who calls it rolls back what fails.
   */
  readonly queryAsDriver = async (
    text: string,
    values: readonly unknown[] = [],
  ): Promise<readonly object[]> => {
    const limit = { query_timeout: this.#answerMs }
    if (values.length > 0)
      return (await this.#guarded(this.#sendWith(OWN_TRANSACTION, { text, values: [...values], ...limit })))
        .rows
    const query: TimedQuery = { text: pinned(text), ...limit }
    const sent: Promise<PgQueryResult | readonly PgQueryResult[]> = this.#client.query(query)
    const result = await this.#guarded(sent)
    return 'rows' in result ? result.rows : result.flatMap(({ rows }) => rows)
  }

  /** In one message with the statements that wait for it. */
  #sendWithAhead<Row extends QueryResultRow>(query: TimedQuery): Promise<PgQueryResult<Row>> {
    return this.#sendWith({ first: this.#ahead.splice(0), last: [] }, query)
  }

  #sendWith<Row extends QueryResultRow>(
    neighbours: Neighbours,
    query: TimedQuery,
  ): Promise<PgQueryResult<Row>> {
    const { promise, resolve, reject } = Promise.withResolvers<PgQueryResult<Row>>()
    try {
      const sent = inOneMessage<Row>(this.#client, query, neighbours, (error, result) =>
        error === null ? resolve(result) : reject(error),
      )
      this.#client.query(sent)
    } catch (error) {
      // As a rejection it ends the connection: the client may wait for an answer for ever, and a rollback with it.
      reject(error)
    }
    return promise
  }

  /** For COPY, which goes by another protocol. */
  async #sendAhead(): Promise<void> {
    if (this.#ahead.length === 0) return
    const query: TimedQuery = { text: this.#ahead.splice(0).join('; '), query_timeout: this.#answerMs }
    await this.#observed(query.text, this.#client.query(query))
  }

  /** Copies rows as COPY writes them into a table. @returns how many were written */
  readonly copy = async (
    target: string,
    rows: Buffer<ArrayBuffer>,
    form = 'format binary',
  ): Promise<number> => {
    await this.#sendAhead()
    const text = `copy ${target} from stdin with (${form})`
    const stream = Object.assign(copyFrom(text), { name: UNNAMED, query_timeout: this.#answerMs })
    this.#client.query(stream)
    stream.end(rows)
    await this.#observed(text, finished(stream))
    return stream.rowCount
  }

  /** Reads the result of a query in the binary form of COPY. */
  readonly copyOut = (query: string): Promise<Buffer> =>
    this.#copyTo(query, 'format binary', (stream) => this.#guarded(buffer(stream)))

  /** Reads the result of a query as COPY writes it, part by part. @returns the number of rows */
  readonly copyOutParts = (query: string, form: string, receive: ReceivePart): Promise<number> =>
    this.#copyTo(query, form, async (stream) => {
      const parts = stream[Symbol.asyncIterator]()
      for (;;) {
        const { value, done } = await this.#guarded(parts.next())
        if (done) return stream.rowCount
        try {
          await receive(value)
        } catch (error) {
          // What is left of the result would stand before the answer to the next statement.
          // guard: a COPY that is left
          this.#breakWith(error)
          throw error
        }
      }
    })

  async #copyTo<T>(query: string, form: string, read: (stream: CopyToStreamQuery) => Promise<T>): Promise<T> {
    await this.#sendAhead()
    const text = `copy (${query}) to stdout with (${form})`
    const stream = Object.assign(copyTo(text), {
      name: UNNAMED,
      query_timeout: this.#answerMs,
      callback: () => {},
    })
    this.#client.query(stream)
    try {
      return await observeStatement(text, this.#client, read(stream))
    } finally {
      // pg replaced the callback with one that ends its timer. The stream of a COPY TO does not call it.
      stream.callback()
    }
  }

  /** @throws DatabaseError when the server rolled back instead, as after a failed statement */
  async commit(): Promise<void> {
    if (this.#hasNotBegun) return
    const { command } = await this.queryObjects('commit', [])
    if (command !== 'COMMIT') {
      throw new DatabaseError(
        `${this.#label}: the transaction was rolled back instead of committed, for a statement in it had failed`,
      )
    }
  }

  /** Never throws: a connection that cannot roll back is closed when it is released. */
  async rollback(): Promise<void> {
    if (this.#broken !== null || this.#hasNotBegun) return
    await this.queryObjects('rollback', []).catch((error: unknown) => this.#breakWith(error))
  }

  /** A connection is lost after so long without an answer to a statement; 0: never. */
  setQueryTimeout(ms: number): void {
    this.#answerMs = Math.min(ms, MAX_TIMER_MS)
  }

  /** Gives the connection back to the pool, or closes it when it broke. */
  readonly release = (): void => this.#pool.giveBack(this.#client, this.#broken)

  /** Whether nothing was sent since `sendWithNext`: a transaction of which the server knows nothing. */
  get #hasNotBegun(): boolean {
    return this.#ahead.length > 0
  }

  get #broken(): Error | null {
    return this.#unusable ?? this.#pool.lossOf(this.#client)
  }

  #breakWith(error: unknown): void {
    this.#unusable ??= toError(error)
  }

  /** A statement as a whole. */
  #observed<T>(text: string, sent: Promise<T>): Promise<T> {
    return observeStatement(text, this.#client, this.#guarded(sent))
  }

  async #guarded<T>(sent: Promise<T>): Promise<T> {
    try {
      return await sent
    } catch (error) {
      // A statement on a lost connection fails without the reason. The loss itself has the reason.
      const cause = this.#pool.lossOf(this.#client) ?? error
      if (needsOtherConnection(cause)) this.#breakWith(cause)
      throw toDatabaseError(cause, this.#label)
    }
  }

  #extended(text: string, values: readonly unknown[]): ExtendedQuery {
    return {
      name: UNNAMED,
      text,
      values: [...values],
      types,
      queryMode: 'extended',
      query_timeout: this.#answerMs,
    }
  }
}

/** @throws DatabaseError */
export async function checkOut(pool: Connections, label: string): Promise<Session> {
  try {
    return new Session(await pool.borrow(), pool, label)
  } catch (error) {
    throw toDatabaseError(error, label)
  }
}
