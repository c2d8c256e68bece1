/** What is in the queue, read without pg-boss. */
import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { isHandedBack } from './handed-back.ts'
import { reasonOf, UNKNOWN_HERE } from './job-outcome.ts'
import { DEAD_LETTER_QUEUE, isAlive, QUEUE_SCHEMA, RUNS_QUEUE } from '../queues.ts'
import { hasQueue } from '../schema.ts'

/** `waiting`: back in the queue, for a moment that is still to come. */
export type JobState = 'dead' | 'running' | 'retrying' | 'waiting' | 'ready'

export const jobStates: readonly JobState[] = ['dead', 'running', 'retrying', 'waiting', 'ready']

export interface ListedJob {
  readonly id: string
  readonly account: string
  readonly host: string
  readonly state: JobState
  /** Tries that ended, or began. */
  readonly tries: number
  /** Of the last failure; null: none. */
  readonly code: string | null
  readonly reason: string | null
  readonly created_at: string
  readonly started_at: string | null
  /** When it may be tried; null of one that runs, or is dead. */
  readonly next_try_at: string | null
}

export interface QueueState {
  /** Whether a worker ever used the queue in this database. */
  readonly exists: boolean
  /** Null: none looked for so long that another one may take over. */
  readonly dispatcher: { readonly holder: string; readonly seen_at: string } | null
  readonly next_due_at: string | null
  readonly counts: Readonly<Record<JobState, number>>
  /** The dead ones first, then those that run, the oldest first. */
  readonly jobs: readonly ListedJob[]
}

const nothing: QueueState = {
  exists: false,
  dispatcher: null,
  next_due_at: null,
  counts: { dead: 0, running: 0, retrying: 0, waiting: 0, ready: 0 },
  jobs: [],
}

/** @throws DatabaseError */
export async function readQueue(
  database: Database,
  { account, limit }: { readonly account: string | null; readonly limit: number },
): Promise<QueueState> {
  if (database.engine === 'pglite' || !(await hasQueue(database))) return nothing
  return database.transaction(
    async ({ kysely }) => {
      const { rows: heads } = await sql<{
        holder: string | null
        seen_at: string | null
        next_due_at: string | null
      }>`
        select case when instance is not null and ${isAlive}
                    then holder end as holder, passed_at as seen_at,
               (select min(next_due_at) from ${table('schedules')}) as next_due_at
          from ${table('dispatcher')}`.execute(kysely)
      const { rows: counted } = await sql<{ state: JobState; jobs: number }>`
        select state, count(*)::int as jobs from (${listed(account)}) as listed group by state`.execute(
        kysely,
      )
      const { rows: jobs } = await sql<Omit<ListedJob, 'reason'>>`
        select * from (${listed(account)}) as listed
         order by array_position(${sql.lit(`{${jobStates.join(',')}}`)}::text[], state), created_at, account
         limit ${limit}`.execute(kysely)
      const [head] = heads
      const { holder = null, seen_at = null } = head ?? {}
      return {
        exists: true,
        dispatcher: holder === null || seen_at === null ? null : { holder, seen_at },
        next_due_at: head?.next_due_at ?? null,
        counts: { ...nothing.counts, ...Object.fromEntries(counted.map(({ state, jobs }) => [state, jobs])) },
        jobs: jobs.map((job) => ({
          ...job,
          reason: job.code === null ? null : reasonOf(job.account, job.code),
        })),
      }
    },
    { readOnly: true },
  )
}

function table(name: string) {
  return sql.raw(`${QUEUE_SCHEMA}.${name}`)
}

/** A job that pg-boss took from a worker that was not heard has no code of ours. */
function listed(account: string | null) {
  return sql`
    select id, data->>'account' as account, data->>'host' as host,
           case when name = ${DEAD_LETTER_QUEUE} then 'dead' when state = 'active' then 'running'
                when state = 'retry' then 'retrying' when start_after > now() then 'waiting' else 'ready' end as state,
           case when name = ${DEAD_LETTER_QUEUE} then source_retry_count + 1
                when state = 'created' then 0 else retry_count + 1 end as tries,
           case when ${sql.raw(isHandedBack)} then ${UNKNOWN_HERE}
                when coalesce(source_output, output) is null then null
                else coalesce(coalesce(source_output, output)->>'code', 'worker_lost') end as code,
           created_on as created_at, case when state = 'active' then started_on end as started_at,
           case when name = ${RUNS_QUEUE} and state in ('created', 'retry') then start_after end as next_try_at
      from ${table('job')}
     where name in (${RUNS_QUEUE}, ${DEAD_LETTER_QUEUE}) and state <= 'active'
       and (${account}::text is null or singleton_key = ${account})`
}
