/** Opens the queue in the mirror's Postgres, and makes it where there is none. */
import type { PgBoss } from 'pg-boss'
import { errorCode } from '../../common/error-code.ts'
import type { Database, DatabaseLog } from '../../db/database.ts'
import { toDatabaseError } from '../../db/errors/database-error.ts'
import { executorOf } from './executor.ts'
import { limitRepeats } from './limit-repeats.ts'
import {
  DEAD_LETTER_QUEUE,
  deadLetterQueue,
  QUEUE_SCHEMA,
  RUNS_QUEUE,
  runsQueue,
  SUPERVISE_S,
} from './queues.ts'
import { createOwnTables } from './schema.ts'

export interface JobQueue extends AsyncDisposable {
  readonly database: Database
  readonly boss: PgBoss
}

export interface QueueOptions {
  readonly log?: DatabaseLog | undefined
  /** Whether this process looks for jobs of machines that died, and for old ones; false by default. */
  readonly supervise?: boolean
}

/**
 * Creates the schema, or brings it up to date, under a lock: several processes may do so at the same time.
 *
 * @throws UsageError on PGlite; DatabaseError
 */
export async function openQueue(database: Database, options: QueueOptions = {}): Promise<JobQueue> {
  const db = executorOf(database)
  await createOwnTables(database)
  const { PgBoss } = await import('pg-boss')
  const boss = new PgBoss({
    db,
    schema: QUEUE_SCHEMA,
    // `create schema if not exists` needs a right on the database even where the schema exists.
    createSchema: false,
    supervise: options.supervise ?? false,
    superviseIntervalSeconds: SUPERVISE_S,
    monitorIntervalSeconds: SUPERVISE_S,
    maintenanceIntervalSeconds: 600,
    // Neither its own schedules, nor jobs that wait for others, nor its register of processes are used.
    schedule: false,
    flowIntervalSeconds: 3600,
    registerInstance: false,
    openTelemetry: { enabled: false },
  })
  const warn = limitRepeats((level, message) => options.log?.(level, message))
  boss.on('error', (error) => warn(`the queue: ${error.message}`))
  boss.on('warning', ({ message }) => warn(`the queue: ${message}`))
  const queue: JobQueue = {
    database,
    boss,
    [Symbol.asyncDispose]: () => boss.stop({ graceful: false }),
  }
  try {
    await boss.start()
    await boss.createQueue(DEAD_LETTER_QUEUE, deadLetterQueue)
    await boss.createQueue(RUNS_QUEUE, runsQueue)
    return queue
  } catch (error) {
    await boss.stop({ graceful: false })
    // An error of the database as this program tells it; any other as it is.
    throw errorCode(error) !== null ? toDatabaseError(error, database.label) : error
  }
}
