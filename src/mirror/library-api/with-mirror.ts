/** How a program asks something of a mirror: as `sync` it names the database, and each call opens it, unless it is the caller's. */
import { connect, type Database } from '../../db/connect.ts'
import { targetOf, type DatabaseOptions } from '../../db/target.ts'
import { logTo, type Logger } from '../../sync/options.ts'
import { prepareSchema, type Call, type Receive } from '../calls/call.ts'

/** Exactly one of `database`, `pool` and `pglite` is to be given. A mirror that is not there is not made. */
export interface MirrorOptions extends DatabaseOptions {
  readonly logger?: Logger
  /** Writes also to a mirror that was moved to another database. */
  readonly force?: boolean
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

/** Opens the database, also where it holds no mirror yet. @throws as withMirror, but no SchemaVersionError */
export async function withDatabase<T>(
  options: MirrorOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const log = logTo(options.logger)
  await using database = await connect(targetOf(options), { createFolder: false, log })
  return await work(database)
}

/** Runs the same call as the command of this name does. */
export function callMirror<Input, Output>(
  options: MirrorOptions,
  call: Call<Input, Output>,
  input: Input,
  receive: Receive = async () => {},
): Promise<Output> {
  return withMirror(options, call.changes ? 'write' : 'read', (database) =>
    call.run(database, input, { receive }),
  )
}
