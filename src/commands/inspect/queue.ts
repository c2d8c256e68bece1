/** What is in the queue of `worker --queue`. */
import { readAccounts, type Accounts } from '../../config/accounts/read-accounts.ts'
import { commandName, quoteForShell } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import { formatCount, formatNumber } from '../../common/text/number.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { Database } from '../../db/database.ts'
import { schemaState } from '../../db/migrate.ts'
import { requirePostgres } from '../../orchestration/queue/executor.ts'
import {
  jobStates,
  readQueue,
  type ListedJob,
  type QueueState,
} from '../../orchestration/queue/jobs/list-jobs.ts'
import { openQueue } from '../../orchestration/queue/open-queue.ts'
import { accountNames } from '../../sync/open/find-account.ts'
import { purgeDeadLetters, retryDeadLetters } from '../../orchestration/queue/jobs/dead-letters.ts'
import type { Command, Context, JsonFlags, ListFlags } from '../cli/context.ts'
import { withDatabase } from '../open-mirror.ts'
import { writeChange, writeResult } from '../output/format/json.ts'
import { below, drawPairs, listTable, right } from '../output/format/table.ts'
import { formatInstant } from '../output/format/timestamp.ts'
import type { Output } from '../terminal/terminal.ts'

export const queue: Command<ListFlags> = async (context) => {
  const { limit } = context.flags
  const found = await withDatabase(context, (database, { account, database: { target } }) => {
    requirePostgres(target)
    return readQueue(database, { account, limit })
  })
  return writeResult(context, { queue: found }, (out) => formatQueue(found, out))
}

export const queueShow: Command<JsonFlags> = async (context) => {
  const [account = ''] = context.operands
  const listed = await readAccounts(context.flags)
  const { exists, jobs } = await withDatabase(context, async (database, { database: { target } }) => {
    requirePostgres(target)
    const found = await readQueue(database, { account, limit: 1000 })
    if (found.exists && found.jobs.length === 0)
      requireKnown(account, [...(await mirroredNames(database)), ...namesOf(listed)])
    return found
  })
  return writeResult(context, { jobs }, (out) => {
    if (!exists) return noQueue()
    if (jobs.length === 0)
      return `No job of account ${stripControlCharsInLine(account)}: it is not due, and its last run did not fail for good. ${commandName()} runs has its runs.\n`
    return jobs.map((job) => formatJob(job, out)).join('\n')
  })
}

/** None where no run has made the mirror yet. */
async function mirroredNames(database: Database): Promise<readonly string[]> {
  const { current } = await schemaState(database)
  return current === 0 ? [] : accountNames(database)
}

function namesOf(listed: Accounts | null): readonly string[] {
  const all = [
    ...(listed?.accounts ?? []).map(({ account }) => account),
    ...(listed?.faults ?? []).map(({ name }) => name),
  ]
  return all.filter((name) => name !== null)
}

/** @throws UsageError */
function requireKnown(account: string, names: readonly string[]): void {
  if (names.includes(account)) return
  throw new UsageError(
    `There is no account ${JSON.stringify(account)}${didYouMean(account, names)}: ${commandName()} status lists the accounts`,
  )
}

type DeadLetterFlags = JsonFlags & { readonly all?: true }

export const queueRetry: Command<DeadLetterFlags> = (context) =>
  onDeadLetters(context, {
    name: 'retry',
    member: 'retried',
    done: 'sent again',
    none: 'There are no dead letters',
    change: async (queue, accounts) => {
      const listed = await readAccounts(context.flags)
      const names = listed === null ? null : new Set(namesOf(listed))
      for (const account of accounts ?? []) if (names?.has(account) === false) throw notListed(account)
      return retryDeadLetters(queue, accounts, (account) => names?.has(account) ?? true)
    },
  })

function notListed(account: string): UsageError {
  return new UsageError(
    `The accounts file has no account ${JSON.stringify(account)}, so no worker would take its job: add the account again, or remove its letter with ${commandName()} queue purge ${quoteForShell(stripControlCharsInLine(account))}`,
  )
}

export const queuePurge: Command<DeadLetterFlags> = (context) =>
  onDeadLetters(context, {
    name: 'purge',
    member: 'purged',
    done: 'removed',
    none: 'There are no dead letters, and no job waits for a worker that has its account',
    change: purgeDeadLetters,
  })

interface DeadLetterChange {
  readonly name: string
  /** Of the JSON document. */
  readonly member: string
  readonly done: string
  /** Told when there is nothing to do. */
  readonly none: string
  readonly change: typeof purgeDeadLetters
}

async function onDeadLetters(
  context: Context<DeadLetterFlags>,
  { name, member, done, none, change }: DeadLetterChange,
): Promise<number> {
  const { operands, flags } = context
  if ((operands.length === 0) === (flags.all !== true))
    throw new UsageError(`queue ${name} takes the names of accounts, or --all for every dead letter`)
  const changed = await withDatabase(context, async (database) => {
    await using opened = await openQueue(database)
    return await change(opened, flags.all === true ? null : operands)
  })
  const words =
    changed.length === 0
      ? `${none}.\n`
      : `${formatCount(changed.length, 'job')} ${done}: ${stripControlCharsInLine(changed.join(', '))}\n`
  return writeChange(context, { [member]: changed }, words)
}

const noQueue = () => `There is no queue in this database: ${commandName()} worker --queue makes it.\n`

function formatQueue({ exists, dispatcher, next_due_at, counts, jobs }: QueueState, out: Output): string {
  if (!exists) return noQueue()
  const sender =
    dispatcher === null
      ? 'none: no worker --queue is running that can send jobs'
      : `${stripControlCharsInLine(dispatcher.holder)}, seen ${formatInstant(dispatcher.seen_at)}`
  const head = drawPairs({ width: out.width, indent: '' }, [
    ['dispatcher', sender],
    ['next due', next_due_at === null ? 'nothing yet' : formatInstant(next_due_at)],
    ['jobs', jobStates.map((state) => `${formatNumber(counts[state])} ${state}`).join(', ')],
  ])
  return jobs.length === 0 ? head : `${head}\n${formatJobs(jobs, out)}`
}

function formatJobs(jobs: readonly ListedJob[], out: Output): string {
  return listTable(out, jobs, [
    ['account', ({ account }) => account],
    ['host', ({ host }) => host],
    ['state', ({ state }) => state],
    [right('tries'), ({ tries }) => String(tries)],
    ['next try (UTC)', ({ next_try_at: at }) => (at === null ? '' : formatInstant(at))],
    [below('last failure'), ({ reason }) => reason ?? ''],
  ])
}

function formatJob(job: ListedJob, out: Output): string {
  return drawPairs({ width: out.width, indent: '' }, [
    ['job', job.id],
    ['account', stripControlCharsInLine(job.account)],
    ['host', stripControlCharsInLine(job.host)],
    ['state', job.state],
    ['tries', String(job.tries)],
    ['sent', formatInstant(job.created_at)],
    ['started', job.started_at && formatInstant(job.started_at)],
    ['next try', job.next_try_at && formatInstant(job.next_try_at)],
    ['last failure', job.reason === null ? null : `${job.reason} (${job.code})`],
  ])
}
