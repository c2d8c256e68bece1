/**
 * What commands ask of a mirror, in a form that can be sent: the process that has a folder open does it in place of one that
 * cannot open it. There is one implementation; only where it runs differs.
 */
import { accountFields, object, type AccountInput, type ReadInput } from './input.ts'
import { readForAccount } from '../accounts/resolve-account.ts'
import type { Database } from '../../db/connect.ts'
import { migrate, requireSchema, schemaState } from '../../db/migrate.ts'
import { requireNotMoved } from '../../load/state/moved.ts'
import type { Column, QueryResult, Transaction } from '../../db/transaction.ts'
import type { JsonValue } from '../../common/json/exact.ts'

/** Rows of a result: each value stands under its column. */
export interface QueryRows {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly unknown[])[]
}

/** Takes the rows of an answer part by part; all parts have the same columns, and there is one at least. */
export type Receive = (part: QueryResult) => Promise<void>

/** Who gets the answer. */
export interface Caller {
  readonly receive: Receive
  /** The time limit of the caller's next statement, asked before each; when not given, that of the call. */
  readonly maxStatementMs?: () => Promise<number>
  /** Whether the call may change a mirror that was moved. */
  readonly force?: boolean
}

export interface CallDefinition<Input, Output> {
  readonly name: string
  /** Whether it writes. Such a call migrates an existing schema first; the others refuse a schema of another version. */
  readonly changes: boolean
  /** What another process sent. @throws UsageError when it is no such input */
  readonly readInput: ReadInput<Input>
  /** The output is sent as JSON, so it may hold only what JSON can express. */
  readonly run: (database: Database, input: Input, caller: Caller) => Promise<Output>
}

export interface Call<Input, Output> extends Omit<CallDefinition<Input, Output>, 'readInput'> {
  /** Runs it with what another process sent, on a database whose schema was not looked at. */
  readonly runSent: (database: Database, input: JsonValue, caller: Caller) => Promise<unknown>
}

export function defineCall<Input, Output>(definition: CallDefinition<Input, Output>): Call<Input, Output> {
  const { readInput, ...call } = definition
  return {
    ...call,
    runSent: async (database, sent, caller) => {
      const input = readInput(sent)
      return call.run(await prepareSchema(database, call.changes, caller), input, caller)
    },
  }
}

/** A call that changes the mirror in one transaction. */
export function defineChange<Input, Output>(
  name: string,
  readInput: ReadInput<Input>,
  change: (trx: Transaction, input: Input) => Promise<Output>,
): Call<Input, Output> {
  const run = (database: Database, input: Input) => database.transaction((trx) => change(trx, input))
  return defineCall({ name, changes: true, readInput, run })
}

/**
 * A call that reads what is asked of one account or, with null, of all, in one transaction. Its `run` throws a UsageError for
 * an unknown account.
 */
export function defineList<Input extends AccountInput, Output>(
  name: string,
  readInput: ReadInput<Input>,
  read: (trx: Transaction, input: Input) => Promise<Output>,
): Call<Input, Output> {
  const run = (database: Database, input: Input) =>
    readForAccount(database, input.account, (trx) => read(trx, input))
  return defineCall({ name, changes: false, readInput, run })
}

/** Such a call that takes an account and nothing else. */
export function defineAccountList<Output>(
  name: string,
  read: (trx: Transaction, account: string | null) => Promise<Output>,
): Call<AccountInput, Output> {
  return defineList(name, object(accountFields), (trx, { account }) => read(trx, account))
}

/**
 * Requires a mirror: without one there is nothing to change, and the database is perhaps the wrong one.
 *
 * @param force changes also a mirror that was moved to another database
 * @param signal ends the wait for another migration, too
 * @returns the database to change
 * @throws SchemaVersionError, MovedMirrorError; the reason of the signal
 */
export async function prepareSchema(
  database: Database,
  changes: boolean,
  { force = false, signal }: { readonly force?: boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<Database> {
  if (!changes) {
    await requireSchema(database)
    return database
  }
  const { current } = await schemaState(database)
  if (current === 0) await requireSchema(database)
  await migrate(database, signal)
  if (force) return database
  await requireNotMoved(database.kysely)
  return changedUnlessMoved(database)
}

/** A change may wait for a move to end, or for the answer to a question while somebody moves the mirror: the copy has nothing of it. */
function changedUnlessMoved(database: Database): Database {
  return {
    ...database,
    transaction: (work, options) =>
      database.transaction(async (trx) => {
        const done = await work(trx)
        // guard: changes that waited for a move
        if (options?.readOnly !== true) await requireNotMoved(trx.kysely)
        return done
      }, options),
  }
}
