/** The queue of `worker --queue`, where it is set: can it be made, does somebody send, is anything dead. */
import { sql } from 'kysely'
import { commandName } from '../../../common/command-name.ts'
import { formatCount } from '../../../common/text/number.ts'
import { connect, type Database } from '../../../db/connect.ts'
import { requirePostgres } from '../../../orchestration/queue/executor.ts'
import { readQueue } from '../../../orchestration/queue/jobs/list-jobs.ts'
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
  const { rows } = await sql<{ has_schema: boolean; may_create: boolean; role: string }>`
    select exists (select from pg_catalog.pg_namespace where nspname = 'headcount_queue') as has_schema,
           pg_catalog.has_database_privilege(pg_catalog.current_database(), 'create') as may_create,
           pg_catalog.quote_ident(current_user::text) as role`.execute(database.kysely)
  const [right] = rows
  if (right?.has_schema === true || right?.may_create === true)
    return ok('the first worker makes the schema headcount_queue')
  return failed(
    DATABASE,
    `this role may not make the schema headcount_queue; as a superuser, once: create schema headcount_queue authorization ${right?.role}`,
  )
}
