/** How a program asks something of a mirror: as `sync` it names the database, and each call opens it, unless it is the caller's. */
import { interruptible } from '../../common/abort.ts'
import { readUntilAborted } from '../../db/cancel/cancel-reads.ts'
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

/** What the error of a call says that its signal ended, wherever it was; without it one that writes is ended only before it begins. */
interface Interruptible {
  readonly interrupted?: string
}

const BEFORE_IT_BEGAN = 'The call was interrupted before it began.'

/** The schema of a mirror is brought up to date before it is changed; one that is only read must be. */
export type Access = 'read' | 'write'

/**
 * @throws UsageError unless one way to the database is given; MirrorNotFoundError, SchemaVersionError, DataDirInUseError,
 * DatabaseError
 */
export async function withMirror<T>(
  options: MirrorOptions & Interruptible,
  access: Access,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { signal, interrupted = BEFORE_IT_BEGAN } = options
  return withDatabase(options, async (database) => {
    const mirror = await interruptible(signal, interrupted, () =>
      prepareSchema(database, access === 'write', options),
    )
    return await work(mirror)
  })
}

/** As withMirror, for what only reads and may be left at any moment: its signal ends it at once, and in Postgres too. */
export function readMirror<T>(
  options: MirrorOptions & Interruptible,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  return readDatabase(options, async (database) => {
    await prepareSchema(database, false)
    return await work(database)
  })
}

/** As readMirror, also where there is no mirror yet. */
export function readDatabase<T>(
  { interrupted = 'The call was interrupted.', ...options }: MirrorOptions & Interruptible,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { signal } = options
  if (signal === undefined) return withDatabase(options, work)
  return withDatabase({ ...options, interrupted }, (database) => readUntilAborted(database, signal, work))
}

/** Opens the database, also where it holds no mirror yet. @throws as withMirror, but no SchemaVersionError */
export async function withDatabase<T>(
  options: MirrorOptions & Interruptible,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { signal, logger, interrupted } = options
  const open = () => connect(targetOf(options), { createFolder: false, log: logTo(logger), signal })
  const openAndWork = async () => {
    await using database = await interruptible(signal, interrupted ?? BEFORE_IT_BEGAN, open)
    return await work(database)
  }
  return interrupted === undefined ? openAndWork() : interruptible(signal, interrupted, openAndWork)
}

/** Runs the same call as the command of this name does. */
export function callMirror<Input, Output>(
  options: MirrorOptions & Interruptible,
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
