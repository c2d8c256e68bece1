/** How a program asks something of a mirror: as `sync` it names the database, and each call opens it, unless it is the caller's. */
import { interruptible, raceAbort } from '../../common/abort.ts'
import { cancelReadsOnAbort } from '../../db/cancel/cancel-reads.ts'
import { connect, type Database } from '../../db/connect.ts'
import { targetOf, type DatabaseOptions } from '../../db/target.ts'
import { logTo, type Logger } from '../../sync/options.ts'
import { prepareSchema, type Call, type Receive } from '../calls/call.ts'

/** Exactly one of `database`, `pool` and `pglite` is to be given. A mirror that is not there is not made. */
export interface MirrorOptions extends DatabaseOptions {
  readonly logger?: Logger
  /** Writes also to a mirror that was moved to another database. */
  readonly force?: boolean
  /** Ends the call: what reads at once, in Postgres too; what writes, before it has begun to, or it is done. */
  readonly signal?: AbortSignal
}

/** Of one account of the mirror; of every account when none is named. */
export interface AccountFilter extends MirrorOptions {
  readonly account?: string
}

/** The schema of a mirror is brought up to date before it is changed; one that is only read must be. */
export type Access = 'read' | 'write'

/**
 * @throws UsageError unless one way to the database is given; MirrorNotFoundError, SchemaVersionError, DataDirInUseError,
 * DatabaseError
 */
export async function withMirror<T>(
  options: MirrorOptions,
  access: Access,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  return withDatabase(options, async (database) => {
    await prepareSchema(database, access === 'write', options.force)
    return await work(database)
  })
}

/** As withMirror, for what only reads and may be left at any moment: its signal ends it at once, and in Postgres too. */
export function readMirror<T>(options: MirrorOptions, work: (database: Database) => Promise<T>): Promise<T> {
  return readDatabase(options, async (database) => {
    await prepareSchema(database, false)
    return await work(database)
  })
}

/** As readMirror, also where there is no mirror yet. */
export function readDatabase<T>(
  options: MirrorOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { signal } = options
  if (signal === undefined) return withDatabase(options, work)
  return interruptible(signal, 'The call was interrupted.', () =>
    withDatabase(options, async (opened) => {
      // guard: statements of an interrupted call
      await using database = cancelReadsOnAbort(opened, signal)
      return await raceAbort(work(database), signal)
    }),
  )
}

/** Opens the database, also where it holds no mirror yet. @throws as withMirror, but no SchemaVersionError */
export async function withDatabase<T>(
  options: MirrorOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { signal, logger } = options
  const open = () => connect(targetOf(options), { createFolder: false, log: logTo(logger), signal })
  await using database = await interruptible(signal, 'The call was interrupted before it began.', open)
  return await work(database)
}

/** Runs the same call as the command of this name does. */
export function callMirror<Input, Output>(
  options: MirrorOptions,
  call: Call<Input, Output>,
  input: Input,
  receive: Receive = async () => {},
): Promise<Output> {
  if (call.changes) return withMirror(options, 'write', (database) => call.run(database, input, { receive }))
  const receiveUnlessAborted: Receive = async (part) => {
    // A PGlite goes on after the signal: the caller has had the error, and no more rows.
    options.signal?.throwIfAborted()
    await receive(part)
  }
  return readMirror(options, (database) => call.run(database, input, { receive: receiveUnlessAborted }))
}
