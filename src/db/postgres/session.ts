import { buffer } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import type { PoolClient, QueryConfig, QueryResult as PgQueryResult } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { DatabaseError } from '../../common/errors.ts'
import { toDatabaseError, isConnectionLost } from '../errors.ts'
import type { QueryResult } from '../transaction.ts'
import { parserFor } from '../type-parsers.ts'
import type { WatchedPool } from './watched-pool.ts'

/** A connection borrowed from a pool. */
export interface Session {
  /** Sends one statement; rows as arrays. @throws DatabaseError, TransactionConflictError */
  readonly query: (text: string, values?: readonly unknown[]) => Promise<QueryResult>
  /** The same with rows as objects, as pg gives them. */
  readonly queryObjects: (text: string, values: readonly unknown[]) => Promise<PgQueryResult>
  /** Sends statements of ours in one message, one trip for all; nothing is bound in them. @throws DatabaseError */
  readonly send: (statements: readonly string[]) => Promise<void>
  /** Copies rows in binary form into a table. @returns how many were written. @throws DatabaseError, TransactionConflictError */
  readonly copy: (target: string, rows: Buffer<ArrayBuffer>) => Promise<number>
  /** Reads what a query gives in the binary form of COPY. @throws DatabaseError, TransactionConflictError */
  readonly copyOut: (query: string) => Promise<Buffer>
  /** @throws DatabaseError when the server rolled back instead, as it does after a failed statement. */
  readonly commit: () => Promise<void>
  /** Never throws: a connection that cannot roll back is closed when it is released. */
  readonly rollback: () => Promise<void>
  /** How long a statement may stay without an answer before the connection counts as lost; 0 for ever. */
  readonly setQueryTimeout: (ms: number) => void
  /** Gives the connection back to the pool, or closes it when it broke. */
  readonly release: () => void
}

/** pg takes it, though its types do not name it. */
interface TimedQuery extends QueryConfig {
  readonly query_timeout: number
}

interface ExtendedQuery extends TimedQuery {
  /** One text is then always one statement, also where nothing is bound: as on PGlite. Not in pg's types either. */
  readonly queryMode: 'extended'
}

/** Readers for the values of one query: neither the pool nor pg's globals are changed. */
const types: NonNullable<QueryConfig['types']> = { getTypeParser: (type: number) => parserFor(type) }

/** @throws DatabaseError */
export async function checkOut(pool: WatchedPool, label: string): Promise<Session> {
  const client = await connected(pool, label)
  let unusable: Error | null = null
  let answerMs = 330_000
  const broken = () => unusable ?? pool.lossOf(client)
  const breakWith = (error: unknown) => {
    unusable ??= error instanceof Error ? error : new Error(String(error))
  }

  const guarded = async <T>(sent: Promise<T>): Promise<T> => {
    try {
      return await sent
    } catch (error) {
      // What is sent over a connection that is gone fails without the reason, which the loss itself has.
      const cause = pool.lossOf(client) ?? error
      if (isConnectionLost(cause)) breakWith(cause)
      throw toDatabaseError(cause, label)
    }
  }
  const extended = (text: string, values: readonly unknown[]): ExtendedQuery => ({
    text,
    values: [...values],
    types,
    queryMode: 'extended',
    query_timeout: answerMs,
  })

  const session: Session = {
    query: async (text, values = []) => {
      const config = { ...extended(text, values), rowMode: 'array' as const }
      const { fields, rows, rowCount } = await guarded(client.query<unknown[]>(config))
      return {
        columns: fields.map((field) => ({ name: field.name, type: field.dataTypeID })),
        rows,
        count: rowCount,
      }
    },
    queryObjects: (text, values) => guarded(client.query(extended(text, values))),
    send: async (statements) => {
      const query: TimedQuery = { text: statements.join('; '), query_timeout: answerMs }
      await guarded(client.query(query))
    },
    copy: async (target, rows) => {
      const stream = Object.assign(copyFrom(`copy ${target} from stdin with (format binary)`), {
        query_timeout: answerMs,
      })
      client.query(stream)
      stream.end(rows)
      await guarded(finished(stream))
      return stream.rowCount
    },
    copyOut: async (query) => {
      const stream = Object.assign(copyTo(`copy (${query}) to stdout with (format binary)`), {
        query_timeout: answerMs,
        callback: () => {},
      })
      client.query(stream)
      try {
        // How many rows it were is told only later, when the stream has ended.
        return await guarded(buffer(stream))
      } finally {
        // pg put its own in its label, which ends the timer; a COPY to us does not call it by itself.
        stream.callback()
      }
    },
    commit: async () => {
      const { command } = await session.queryObjects('commit', [])
      if (command !== 'COMMIT') {
        throw new DatabaseError(
          `${label}: the transaction was rolled back instead of committed, for a statement in it had failed`,
        )
      }
    },
    rollback: async () => {
      if (broken() !== null) return
      try {
        await session.queryObjects('rollback', [])
      } catch (error) {
        breakWith(error)
      }
    },
    setQueryTimeout: (ms) => {
      answerMs = ms
    },
    release: () => {
      pool.giveBack(client, broken())
    },
  }
  return session
}

async function connected(pool: WatchedPool, label: string): Promise<PoolClient> {
  try {
    return await pool.borrow()
  } catch (error) {
    throw toDatabaseError(error, label)
  }
}
