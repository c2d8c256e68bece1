/**
 * Sends a job for each account that is due. Every process may send, and one does: the row of `dispatcher` names it, and is
 * locked while it sends. What is sent and that it was sent are one transaction.
 */
import { sql } from 'kysely'
import { memoiseLast } from '../../common/memoise-last.ts'
import { formatProcess, currentProcess } from '../../db/lease/process-identity.ts'
import type { DatabaseLog } from '../../db/database.ts'
import type { Transaction } from '../../db/transaction.ts'
import { digestOfGroups, groupKey, neverRead, nextDue, type DueGroup } from './due-groups.ts'
import { executorIn } from './executor.ts'
import { limitRepeats } from './limit-repeats.ts'
import type { JobQueue } from './open-queue.ts'
import {
  DISPATCHER_DEAD_AFTER_S,
  isAlive,
  jobOf,
  passAge,
  QUEUE_SCHEMA,
  QUEUE_TRANSACTION,
  RUNS_QUEUE,
} from './queues.ts'

/** With clocks that differ by more, a time would be served too early or twice. */
const MAX_CLOCK_DIFFERENCE_MS = 10_000
/** Schedules that are computed in one transaction, at some 3 ms each: the next ones are the next pass's. */
const GROUPS_PER_PASS = 200
const JOBS_PER_STATEMENT = 5000
/** A schedule that nobody has any more is forgotten. */
const FORGET_AFTER = '7 days'

const table = sql.raw(`${QUEUE_SCHEMA}.dispatcher`)
/** In milliseconds; null where there is no pass to believe. */
const silence = sql`(case when ${passAge} > ${-DISPATCHER_DEAD_AFTER_S} then greatest(0, ${passAge}) * 1000 end)::float8`
/** No job waits longer for its next try. */
const MAX_START_AFTER = '1 hour'

/** What a look for who is due came to. */
export interface DispatchPass {
  /** Whether this process is the one that sends. */
  readonly isDispatcher: boolean
  /** Jobs sent now; an account whose job is still there gets no second one. */
  readonly sent: number
  /** Since some process looked last; null: none did yet. */
  readonly silentMs: number | null
  /** Whether more are due than one pass sends. */
  readonly hasMore: boolean
  /** Names the process that sends, where its accounts are others than those of this one; else null. */
  readonly sendsOthers: string | null
}

export interface DispatcherOptions {
  readonly queue: JobQueue
  /** By their keys; asked at each pass, for a file of accounts may change. */
  readonly groups: () => ReadonlyMap<string, DueGroup>
  readonly log: DatabaseLog
}

export interface Dispatcher {
  /** @throws DatabaseError */
  pass(): Promise<DispatchPass>
  /** Lets another process send at once. @throws DatabaseError */
  resign(): Promise<void>
}

export function createDispatcher({ queue, groups, log }: DispatcherOptions): Dispatcher {
  const { database } = queue
  const instance = crypto.randomUUID()
  const digestOf = memoiseLast(digestOfGroups)
  const times: CheckedTimes = { passedAt: -Infinity, due: new Map(), checksLeft: 0 }
  const warn = limitRepeats(log)
  const pass = (trx: Transaction) => {
    const current = groups()
    return passIn(trx, { queue, groups: current, digest: digestOf(current), instance, times, warn })
  }
  return {
    pass: () => database.transaction(pass, QUEUE_TRANSACTION),
    resign: () => database.transaction((trx) => resign(trx, instance), QUEUE_TRANSACTION),
  }
}

/** What this process knows to be set by a clock that is right. */
interface CheckedTimes {
  /** Its last pass, by the clock of the database, in ms since 1970. */
  passedAt: number
  /** By group, when it is due next, in ms since 1970. */
  readonly due: Map<string, number>
  /** In this pass. */
  checksLeft: number
}

interface PassContext extends Pick<DispatcherOptions, 'queue'> {
  readonly warn: ReturnType<typeof limitRepeats>
  readonly groups: ReadonlyMap<string, DueGroup>
  /** Of the accounts and their schedules. */
  readonly digest: string
  readonly instance: string
  readonly times: CheckedTimes
}

async function passIn(trx: Transaction, context: PassContext): Promise<DispatchPass> {
  const { instance, warn } = context
  const free = await lockFree(trx, instance)
  if (free === null) return { ...notHere, ...(await lookAtOther(trx, context)) }
  const difference = Math.abs(Date.parse(free.now) - Date.now())
  // guard: clocks of dispatchers
  if (difference > MAX_CLOCK_DIFFERENCE_MS) {
    warn(
      `no jobs are sent from here: the clocks of this machine and of the database differ by more than ${MAX_CLOCK_DIFFERENCE_MS / 1000} s; set both by NTP`,
      { difference_s: Math.round(difference / 1000) },
    )
    await resign(trx, instance)
    return { ...notHere, silentMs: free.silence_ms }
  }
  await claim(trx, context)
  await distrustIfSetBack(trx, context, Date.parse(free.now))
  const due = await dueGroups(trx, context)
  let sent = 0
  for (const group of due) sent += await send(trx, context.queue, group)
  // guard: new accounts at once
  if (free.accounts_digest !== null && free.accounts_digest !== context.digest)
    sent += await send(trx, context.queue, { accounts: await neverRead(trx, context.groups) })
  return { ...notHere, isDispatcher: true, sent, hasMore: due.length === GROUPS_PER_PASS }
}

const notHere: DispatchPass = {
  isDispatcher: false,
  sent: 0,
  silentMs: 0,
  hasMore: false,
  sendsOthers: null,
}

interface FreeRow {
  /** By the clock of the database. */
  readonly now: string
  readonly silence_ms: number | null
  /** Of the accounts that were sent last; null: none were. */
  readonly accounts_digest: string | null
}

/** Locks the row for as long as the transaction takes; null when another process sends. */
async function lockFree(trx: Transaction, instance: string): Promise<FreeRow | null> {
  // guard: one dispatcher
  const { rows } = await sql<FreeRow>`
    select clock_timestamp() as now, ${silence} as silence_ms, accounts_digest from ${table}
     where instance is null or instance = ${instance}::uuid
        or not ${isAlive}
       for update skip locked`.execute(trx.kysely)
  return rows[0] ?? null
}

async function claim(trx: Transaction, { instance, digest }: PassContext): Promise<void> {
  await sql`
    update ${table}
       set instance = ${instance}::uuid, holder = ${formatProcess(await currentProcess())}, passed_at = clock_timestamp(),
           accounts_digest = ${digest}`.execute(trx.kysely)
}

async function resign(trx: Transaction, instance: string): Promise<void> {
  await sql`update ${table} set instance = null where instance = ${instance}::uuid`.execute(trx.kysely)
}

async function lookAtOther(
  trx: Transaction,
  { digest }: PassContext,
): Promise<Pick<DispatchPass, 'silentMs' | 'sendsOthers'>> {
  const { rows } = await sql<{ ms: number | null; holder: string | null; accounts_digest: string | null }>`
    select ${silence} as ms, holder, accounts_digest from ${table}`.execute(trx.kysely)
  const [other] = rows
  if (other === undefined) return notHere
  const { ms, holder, accounts_digest } = other
  // guard: accounts of dispatchers
  const isSame = accounts_digest === null || accounts_digest === digest
  return { silentMs: ms, sendsOthers: isSame ? null : holder }
}

/** The first pass of a process, and the first after the clock was set back, believe no time that was stored before. */
async function distrustIfSetBack(trx: Transaction, { times }: PassContext, now: number): Promise<void> {
  const isCredible = now >= times.passedAt && times.passedAt !== -Infinity
  times.passedAt = now
  if (isCredible) return
  times.due.clear()
  await trx.query(
    `update ${QUEUE_SCHEMA}.job set start_after = clock_timestamp()
      where name = $1 and state in ('created', 'retry') and start_after > clock_timestamp() + $2::interval`,
    [RUNS_QUEUE, MAX_START_AFTER],
  )
}

interface ScheduleRow {
  readonly schedule: string
  readonly time_zone: string
  readonly next_due_at: string
  /** By the clock of the database. */
  readonly is_due: boolean
}

/** The time of a group that is served now; null when it is not due. A group that nobody sent yet is due at once. */
function timeToServe(
  group: DueGroup,
  key: string,
  { row, times }: { readonly row: ScheduleRow | undefined; readonly times: CheckedTimes },
): Date | null {
  if (row === undefined) return new Date()
  const stored = Date.parse(row.next_due_at)
  if (row.is_due) return new Date(stored)
  // What is not checked in this pass is in a later one.
  if (times.due.get(key) === stored || times.checksLeft === 0) return null
  times.checksLeft -= 1
  times.due.set(key, stored)
  const latest = nextDue(group, new Date(Date.now() + MAX_CLOCK_DIFFERENCE_MS))
  // guard: due times of a clock that was ahead
  if (stored > latest.getTime()) return new Date()
  return null
}

/** The groups whose time has come, their next times stored. */
async function dueGroups(
  trx: Transaction,
  { groups, times, warn }: Pick<PassContext, 'groups' | 'times' | 'warn'>,
): Promise<DueGroup[]> {
  const schedules = sql.raw(`${QUEUE_SCHEMA}.schedules`)
  const { rows } = await sql<ScheduleRow>`
    select schedule, time_zone, next_due_at, next_due_at <= clock_timestamp() as is_due from ${schedules}`.execute(
    trx.kysely,
  )
  const known = new Map(rows.map((row) => [groupKey(row.schedule, row.time_zone), row]))
  const due: DueGroup[] = []
  const next: { schedule: string; time_zone: string; next_due_at: string }[] = []
  times.checksLeft = GROUPS_PER_PASS
  for (const [key, group] of groups) {
    if (due.length === GROUPS_PER_PASS) break
    try {
      const served = timeToServe(group, key, { row: known.get(key), times })
      if (served === null) continue
      const at = nextDue(group, served)
      times.due.set(key, at.getTime())
      next.push({ schedule: group.schedule, time_zone: group.timezone, next_due_at: at.toISOString() })
      due.push(group)
    } catch (error) {
      warn(`accounts with the schedule ${key} are not sent`, { err: error })
    }
  }
  if (next.length === 0) return due
  await trx.query(
    `insert into ${QUEUE_SCHEMA}.schedules (schedule, time_zone, next_due_at)
     select schedule, time_zone, next_due_at
       from json_to_recordset($1) as given (schedule text, time_zone text, next_due_at timestamptz)
     on conflict (schedule, time_zone) do update set next_due_at = excluded.next_due_at`,
    [JSON.stringify(next)],
  )
  await trx.query(
    `delete from ${QUEUE_SCHEMA}.schedules where next_due_at < clock_timestamp() - $1::interval`,
    [FORGET_AFTER],
  )
  return due
}

/** @returns how many accounts had no job yet */
async function send(
  trx: Transaction,
  { boss }: JobQueue,
  { accounts }: Pick<DueGroup, 'accounts'>,
): Promise<number> {
  let sent = 0
  for (let from = 0; from < accounts.length; from += JOBS_PER_STATEMENT) {
    const jobs = accounts.slice(from, from + JOBS_PER_STATEMENT).map(({ name, host }) => jobOf(name, host))
    const ids = await boss.insert(RUNS_QUEUE, jobs, { db: executorIn(trx), returnId: true })
    sent += ids?.length ?? 0
  }
  return sent
}
