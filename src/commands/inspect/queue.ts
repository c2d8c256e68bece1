/** What is in the queue of `worker --queue`. */
import type { Flags } from '../../config/config.ts'
import { readAccounts, type Accounts } from '../../config/accounts/read-accounts.ts'
import { commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import { formatCount, formatNumber } from '../../common/text/number.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
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
import type { Command, Context } from '../cli/context.ts'
import { withMirror, withMirrorReadOnly } from '../open-mirror.ts'
import { writeResult } from '../output/format/json.ts'
import { below, drawPairs, listTable, right } from '../output/format/table.ts'
import { formatInstant } from '../output/format/timestamp.ts'
import type { Output } from '../terminal/terminal.ts'

type ListFlags = Flags & { readonly json?: true; readonly limit: number }

/** The jobs: the dead ones first. */
export const queue: Command<ListFlags> = async (context) => {
  const { limit } = context.flags
  const found = await withMirrorReadOnly(context, (database, { account, database: { target } }) => {
    requirePostgres(target)
    return readQueue(database, { account, limit })
  })
  await writeResult(context, { queue: found }, (out) => formatQueue(found, out))
  return 0
}

/** The jobs of one account, whole. */
export const queueShow: Command<Flags & { readonly json?: true }> = async (context) => {
  const [account = ''] = context.operands
  const listed = await readAccounts(context.flags)
  const { exists, jobs } = await withMirrorReadOnly(context, async (database, { database: { target } }) => {
    requirePostgres(target)
    const found = await readQueue(database, { account, limit: 1000 })
    if (found.exists && found.jobs.length === 0)
      requireKnown(account, [...(await accountNames(database)), ...namesOf(listed)])
    return found
  })
  await writeResult(context, { jobs }, (out) => {
    if (!exists) return noQueue
    if (jobs.length === 0)
      return `No job of account ${stripControlCharsInLine(account)}: it is not due, and its last run did not fail for good. headcount runs has its runs.\n`
    return jobs.map((job) => formatJob(job, out)).join('\n')
  })
  return 0
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

type DeadLetterFlags = Flags & { readonly json?: true; readonly all?: true }

/** Sends the jobs of dead letters again. */
export const queueRetry: Command<DeadLetterFlags> = (context) =>
  onDeadLetters(context, { name: 'retry', member: 'retried', done: 'sent again', change: retryDeadLetters })

/** Removes dead letters. */
export const queuePurge: Command<DeadLetterFlags> = (context) =>
  onDeadLetters(context, { name: 'purge', member: 'purged', done: 'removed', change: purgeDeadLetters })

interface DeadLetterChange {
  readonly name: string
  /** Of the JSON document. */
  readonly member: string
  readonly done: string
  readonly change: typeof retryDeadLetters
}

async function onDeadLetters(
  context: Context<DeadLetterFlags>,
  { name, member, done, change }: DeadLetterChange,
): Promise<number> {
  const { operands, flags, terminal } = context
  if ((operands.length === 0) === (flags.all !== true))
    throw new UsageError(`queue ${name} takes the names of accounts, or --all for every dead letter`)
  const changed = await withMirror(context, async (database) => {
    await using opened = await openQueue(database)
    return await change(opened, flags.all === true ? null : operands)
  })
  if (flags.json) await writeResult(context, { [member]: changed }, () => '')
  else
    await terminal.err.write(
      changed.length === 0
        ? 'There are no dead letters.\n'
        : `${formatCount(changed.length, 'job')} ${done}: ${stripControlCharsInLine(changed.join(', '))}\n`,
    )
  return 0
}

const noQueue = 'There is no queue in this database: headcount worker --queue makes it.\n'

function formatQueue({ exists, dispatcher, next_due_at, counts, jobs }: QueueState, out: Output): string {
  if (!exists) return noQueue
  const head = drawPairs(
    [
      [
        'dispatcher',
        dispatcher === null
          ? 'none: no worker --queue is running that can send jobs'
          : `${stripControlCharsInLine(dispatcher.holder)}, seen ${formatInstant(dispatcher.seen_at)}`,
      ],
      ['next due', next_due_at === null ? 'nothing yet' : formatInstant(next_due_at)],
      ['jobs', jobStates.map((state) => `${formatNumber(counts[state])} ${state}`).join(', ')],
    ],
    { width: out.width },
  )
  return jobs.length === 0 ? head : `${head}\n${formatJobs(jobs, out)}`
}

function formatJobs(jobs: readonly ListedJob[], out: Output): string {
  return listTable(
    out,
    ['account', 'host', 'state', right('tries'), 'next try (UTC)', below('last failure')],
    jobs.map(({ account, host, state, tries, next_try_at, reason }) => [
      stripControlCharsInLine(account),
      stripControlCharsInLine(host),
      state,
      String(tries),
      next_try_at === null ? '' : formatInstant(next_try_at),
      reason ?? '',
    ]),
  )
}

function formatJob(job: ListedJob, out: Output): string {
  return drawPairs(
    [
      ['job', job.id],
      ['account', stripControlCharsInLine(job.account)],
      ['host', stripControlCharsInLine(job.host)],
      ['state', job.state],
      ['tries', String(job.tries)],
      ['sent', formatInstant(job.created_at)],
      ...(job.started_at === null ? [] : [['started', formatInstant(job.started_at)] as const]),
      ...(job.next_try_at === null ? [] : [['next try', formatInstant(job.next_try_at)] as const]),
      ...(job.reason === null ? [] : [['last failure', `${job.reason} (${job.code})`] as const]),
    ],
    { width: out.width },
  )
}
