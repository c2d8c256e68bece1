/** How the commands that look at the mirror, or take care of it, open it. */
import { readConfig, type Config, type Flags } from '../config/config.ts'
import { readUntilAborted } from '../db/cancel/cancel-reads.ts'
import { connect, pgliteDataDir, FolderServedError, type Database } from '../db/connect.ts'
import { prepareSchema, type Call, type Receive } from '../mirror/calls/call.ts'
import type { Context } from './cli/context.ts'
import { isListenedOn } from './control/socket.ts'
import { raceAbort } from '../common/abort.ts'
import type { RunCall } from '../outputs/notify/deliver.ts'
import { logTo } from '../sync/options.ts'
import { openLog, type Log } from './open-log.ts'

/**
 * Opens the mirror for reading, and closes it after the work or when the user interrupts. A folder is never
 * made and a schema never changed.
 *
 * @throws SchemaVersionError, DatabaseError, DataDirInUseError, ConfigurationError, InterruptedError
 */
export async function withMirrorReadOnly<T>(context: Context<Flags>, work: Work<T>): Promise<T> {
  return openForWork(await openContext(context), false, work)
}

/**
 * Opens a mirror that is there for writing, with its schema brought up to date first.
 *
 * @throws as withMirrorReadOnly.
 */
export async function withMirror<T>(context: Context<Flags>, work: Work<T>): Promise<T> {
  return openForWork(await openContext(context), true, work)
}

/**
 * Opens the database, also where it holds no mirror yet: for what is beside it.
 *
 * @throws as withMirrorReadOnly, but no SchemaVersionError
 */
export async function withDatabase<T>(context: Context<Flags>, work: Work<T>): Promise<T> {
  return openForWork(await openContext(context), null, work)
}

type Work<T> = (database: Database, config: Config) => Promise<T>

/**
 * Asks something of the mirror: opens it, or, when it is a folder that `serve` or `worker` has open, asks that process.
 *
 * @throws as withMirrorReadOnly, and what the other process threw.
 */
export async function callMirror<Input, Output>(
  context: Context<Flags>,
  call: Call<Input, Output>,
  inputOf: (config: Config) => Input,
  receive: Receive = async () => {},
): Promise<Output> {
  const opened = await openContext(context)
  return callOpened(opened, call, inputOf(opened.config), receive)
}

/**
 * For a command that asks several times, and does other things in between: nothing is open meanwhile.
 *
 * @param check of the settings, before anything is asked
 */
export async function mirrorCaller(
  context: Context<Flags>,
  check: (config: Config) => void = () => {},
): Promise<{ readonly call: RunCall; readonly config: Config }> {
  const opened = await openContext(context)
  check(opened.config)
  // What was accepted is recorded even when the user interrupts.
  const settling = { ...opened, signal: new AbortController().signal }
  return {
    call: (call, input) => callOpened(call.name === 'settle-deliveries' ? settling : opened, call, input),
    config: opened.config,
  }
}

async function callOpened<Input, Output>(
  opened: OpenContext,
  call: Call<Input, Output>,
  input: Input,
  receive: Receive = async () => {},
): Promise<Output> {
  const folder = pgliteDataDir(opened.config.database.target)
  const force = opened.flags['force'] === true
  for (;;) {
    try {
      return await openForWork(
        opened,
        call.changes,
        (database) => call.run(database, input, { receive }),
        folder === null ? undefined : () => isListenedOn(folder),
      )
    } catch (error) {
      if (!(error instanceof FolderServedError) || folder === null) throw error
    }
    const { callHolder } = await import('./control/client.ts')
    const answered = await callHolder(folder, call, input, { receive, signal: opened.signal, force })
    if (answered !== null) return answered.value
  }
}

interface OpenContext extends Context<Flags>, Log {
  readonly config: Config
}

async function openContext(context: Context<Flags>): Promise<OpenContext> {
  const config = await readConfig(context.flags)
  return { ...context, config, ...(await openLog(config, context.terminal)) }
}

/** @param changesMirror null: a mirror is not needed */
async function openForWork<T>(
  { config, flags, logger, onFolderInUse, signal }: OpenContext,
  changesMirror: boolean | null,
  work: Work<T>,
  isFolderServed?: () => Promise<boolean>,
): Promise<T> {
  await using database = await connect(config.database.target, {
    createFolder: false,
    log: logTo(logger),
    signal,
    onFolderInUse,
    ...(isFolderServed !== undefined && { isFolderServed }),
  })
  const prepareAndWork = async (database: Database) => {
    if (changesMirror === null) return work(database, config)
    const force = flags['force'] === true
    return work(await prepareSchema(database, changesMirror, { force, signal }), config)
  }
  if (changesMirror === false) return await readUntilAborted(database, signal, prepareAndWork)
  return await raceAbort(prepareAndWork(database), signal)
}
