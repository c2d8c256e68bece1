import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import { Client, defaults, Pool, type ClientConfig } from 'pg'
import { DatabaseError, UsageError } from '../../common/errors.ts'
import { databaseOf, postgresUrl, withLibpqDefaults } from './connection-url.ts'
import { CONNECTIONS_PER_RUN, type Database, type DatabaseLog } from '../database.ts'
import { checkOut, type Session } from './session.ts'
import type { Tables } from '../../common/schema/tables.ts'
import { settingsOf, type Transaction, type TransactionOptions } from '../transaction.ts'
import { PoolShare } from './pool-share.ts'
import { setLocal } from './one-message.ts'
import { requireChannelBinding } from './channel-binding.ts'
import { continueWithoutTls, needsChannelBinding, withTlsParameters } from './tls.ts'
import { WatchedPool, type ConnectingClient, type Connections } from './watched-pool.ts'

interface OwnPool {
  readonly pool: Pool
  readonly connecting: ReadonlySet<ConnectingClient>
}

interface OwnPoolOptions {
  readonly connections: number | undefined
  /** As in ConnectOptions. */
  readonly currentUrl: (() => string) | undefined
  readonly log: DatabaseLog | undefined
}

/** A pool for a `postgres://` URL, without a connection yet. */
export function ownPool(
  url: URL,
  { connections = CONNECTIONS_PER_RUN + 1, currentUrl, log }: OwnPoolOptions,
): OwnPool {
  const connecting = new Set<ConnectingClient>()
  const whole = withTlsParameters(withLibpqDefaults(url))
  const pool = new Pool({
    connectionString: whole.href,
    max: connections,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    Client: clientOf(whole, followPassword(url, currentUrl ?? (() => url.href), log), connecting),
  })
  return { pool, connecting }
}

/** A client that also ignores the environment variables that a URL cannot override. */
function clientOf(url: URL, password: () => string, connecting: Set<ConnectingClient>) {
  const options = url.searchParams.get('options')
  const prefersTls = url.searchParams.get('sslmode') === 'prefer'
  return class extends Client {
    constructor(config?: ClientConfig) {
      super(config)
      connecting.add(this)
      for (const event of ['connect', 'end']) this.once(event, () => connecting.delete(this))
      Reflect.set(this, 'password', () => this.#password())
      if (prefersTls) continueWithoutTls(this)
      if (needsChannelBinding(url)) requireChannelBinding(this)
    }

    /** pg waits for a server that does not answer, and a pool that is ended waits for pg. */
    abandon(): void {
      this.connection.stream.destroy()
    }

    /** Called when the server asks for it. After an error pg leaves the connection open, and the server waits a minute. */
    #password(): string {
      try {
        return password()
      } catch (error) {
        void this.end()
        throw error
      }
    }

    /** The start-up message. It has no `options` of ours: connection poolers refuse them, and accept the name. */
    getStartupConf(): object {
      const { user } = this
      return {
        user,
        database: databaseOf(url),
        application_name: 'headcount',
        ...(options !== null && { options }),
      }
    }
  }
}

/**
 * The password of the URL as it is now. Where that cannot be read, or names another server, database or user, that of before: a file
 * that is half written or gone ends no run while the server takes the password that is known.
 */
function followPassword(former: URL, currentUrl: () => string, log: DatabaseLog | undefined) {
  let told: string | null = null
  return (): string => {
    try {
      const current = postgresUrl(currentUrl())
      // guard: password of another database
      if (hrefWithout(current) !== hrefWithout(former))
        throw new Error('another server, database or user is named now, which needs a restart')
      lastRead.set(currentUrl, current)
      told = null
    } catch (error) {
      const { message } = error as Error
      if (message !== told) log?.('warn', `The database password that was read before is used: ${message}`)
      told = message
    }
    const found = passwordOf(lastRead.get(currentUrl) ?? former) || passwordOf(former)
    if (found !== '') return found
    throw new Error(
      'the server asks for a password, and the database URL has none: write postgres://user:password@host:5432/database',
    )
  }
}

function passwordOf({ searchParams, password }: URL): string {
  return searchParams.get('password') ?? decodeURIComponent(password)
}

/** Not of a pool: that of a worker lasts for one run, and the next begins with the URL of the start, whose password may be long gone. */
const lastRead = new WeakMap<() => string, URL>()

function hrefWithout(url: URL): string {
  const rest = new URL(url)
  rest.password = ''
  rest.searchParams.delete('password')
  return rest.href
}

interface PostgresOptions {
  /** Of a pool of our own, which close() ends; null of a pool of the caller. */
  readonly connecting: ReadonlySet<ConnectingClient> | null
  /** The name of the database in messages, without user and password. */
  readonly label: string
  readonly log: DatabaseLog | undefined
}

/**
 * Opens a database over a pool, and tests one connection.
 *
 * @throws DatabaseError when it cannot be reached, or its encoding is not UTF8
 */
export async function openPostgres(
  pool: Pool,
  { connecting, label, log }: PostgresOptions,
): Promise<Database> {
  if (connecting === null) requireUsable(pool)
  const watched = new WatchedPool(pool, connecting, (error) => {
    log?.('debug', `${label}: an idle connection was lost`, { reason: error.message })
  })
  try {
    const session = await checkOut(watched, label)
    await requireUtf8(session, label).finally(session.release)
    return {
      ...databaseOver(watched, label),
      reserve: (connections) => databaseOver(new PoolShare(watched, connections), label),
    }
  } catch (error) {
    await watched.close()
    throw error
  }
}

/** @throws UsageError for a pool of the caller that no run could use */
function requireUsable({ options }: Pool): void {
  const { max } = options
  if (max < CONNECTIONS_PER_RUN) {
    throw new UsageError(
      `The given pool holds at most ${max} connections; headcount needs ${CONNECTIONS_PER_RUN} (two for batches, one for its heartbeat). Make it with max: 3 or more.`,
    )
  }
  // pg sends no COPY then, and knows why only when a run is under way. Its types know neither of the two.
  if (Reflect.get(options, 'pipeline') === true) {
    throw new UsageError(
      'The given pool sends statements before those ahead of them are answered (pipeline), and no COPY. Make it with pipeline: false.',
    )
  }
  if (Reflect.get(options, 'binary') === true || defaults.binary === true) {
    throw new UsageError(
      'The given pool asks for values in binary form, which headcount does not read. Make it with binary: false.',
    )
  }
}

/** With a connection of its own, which a text of several statements that failed leaves without its transaction. */
async function withSession<T>(
  connections: Connections,
  label: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await checkOut(connections, label)
  try {
    return await work(session)
  } catch (error) {
    await session.rollback()
    throw error
  } finally {
    session.release()
  }
}

function databaseOver(connections: Connections, label: string): Database {
  let closed: Promise<void> | null = null
  const close = () => (closed ??= connections.close())
  return {
    engine: 'postgres',
    label,
    kysely: kyselyOver(async () => {
      const { queryInOwnTransaction, release } = await checkOut(connections, label)
      return { queryObjects: queryInOwnTransaction, release }
    }),
    transaction: async (work, options = {}) =>
      inTransaction(await checkOut(connections, label), work, options),
    queryOutsideTransaction: (text) => withSession(connections, label, (on) => on.queryObjects(text, [])),
    queryAsDriver: (text, values) => withSession(connections, label, (on) => on.queryAsDriver(text, values)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * The encoding of a database is fixed. LATIN1 cannot store every name, and SQL_ASCII does not check any bytes.
 *
 * @throws DatabaseError for another encoding than UTF8
 */
async function requireUtf8({ queryInOwnTransaction }: Session, label: string): Promise<void> {
  const { rows } = await queryInOwnTransaction(`select current_setting('server_encoding') as encoding`)
  const [{ encoding }] = rows as [{ encoding: string }]
  // guard: encoding
  if (encoding === 'UTF8') return
  throw new DatabaseError(
    `${label}: the encoding of this database is ${encoding}, and a mirror needs UTF8; nothing was written. Create another database and name it in the database URL: create database … encoding 'UTF8' template template0`,
  )
}

/** Kysely's own dialect over a session. */
function kyselyOver(session: () => Promise<Pick<Session, 'queryObjects' | 'release'>>): Kysely<Tables> {
  const connect = async () => {
    const { queryObjects, release } = await session()
    return {
      // Kysely would send cursors this way too, but it has no cursor class here.
      query: queryObjects as unknown as PostgresPoolClient['query'],
      release,
    }
  }
  return new Kysely({ dialect: new PostgresDialect({ pool: { options: {}, connect, end: async () => {} } }) })
}

async function inTransaction<T>(
  session: Session,
  work: (trx: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const { query, copy, copyOut, copyOutParts } = session
  session.setQueryTimeout(
    options.statementTimeoutMs === 0 ? 0 : (options.statementTimeoutMs ?? 300_000) + 30_000,
  )
  try {
    const isolation = options.readOnly === true ? 'repeatable read read only' : 'read committed'
    session.sendWithNext([`begin isolation level ${isolation}`, ...setLocal(settingsOf('postgres', options))])
    // Inside the transaction Kysely uses one session, and cannot release it.
    const kysely = kyselyOver(async () => ({ queryObjects: session.queryObjects, release: () => {} }))
    const queryWithin: Transaction['queryWithin'] = async (ms, text, values) => {
      session.sendWithNext([`set local statement_timeout to ${Math.ceil(ms)}`])
      return query(text, values)
    }
    const result = await work({ engine: 'postgres', kysely, query, queryWithin, copy, copyOut, copyOutParts })
    await session.commit()
    session.release()
    return result
  } catch (error) {
    await session.rollback()
    session.release()
    throw error
  }
}
