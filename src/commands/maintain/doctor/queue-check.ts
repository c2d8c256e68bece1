/** The queue of `worker --queue`, where it is set: can it be made, does somebody send, is anything dead. */
import { commandName } from '../../../common/command-name.ts'
import { formatCount } from '../../../common/text/number.ts'
import { connect, type Database } from '../../../db/connect.ts'
import { missingSchemas } from '../../../db/migrate.ts'
import { requirePostgres } from '../../../orchestration/queue/executor.ts'
import { readQueue } from '../../../orchestration/queue/jobs/list-jobs.ts'
import { QUEUE_SCHEMA } from '../../../orchestration/queue/queues.ts'
import { DATABASE, failed, ok, orFailure, warning, type CheckResult } from './check.ts'

/** @param target of the database */
export function checkQueue(target: string): Promise<CheckResult> {
  return orFailure(DATABASE, async () => {
    requirePostgres(target)
    await using database = await connect(target)
    return await check(database)
  })
}

async function check(database: Database): Promise<CheckResult> {
  const { exists, dispatcher, counts } = await readQueue(database, { account: null, limit: 1 })
  if (!exists) return checkRight(database)
  if (counts.dead > 0)
    return warning(`${formatCount(counts.dead, 'job')} dead: ${commandName()} queue says which and why`)
  return ok(
    dispatcher === null
      ? 'the schema headcount_queue; no worker --queue is running that can send jobs'
      : `${dispatcher.holder} sends the jobs`,
  )
}

async function checkRight(database: Database): Promise<CheckResult> {
  const { remedy } = await database.transaction((trx) => missingSchemas(trx, [QUEUE_SCHEMA]), {
    readOnly: true,
  })
  return remedy === null ? ok(`the first worker makes the schema ${QUEUE_SCHEMA}`) : failed(DATABASE, remedy)
}
