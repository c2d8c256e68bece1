import { commandName } from '../../../common/command-name.ts'
import { UsageError } from '../../../common/errors.ts'
import { didYouMean } from '../../../common/text/did-you-mean.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { executorIn } from '../executor.ts'
import type { JobQueue } from '../open-queue.ts'
import { DEAD_LETTER_QUEUE, jobOf, QUEUE_SCHEMA, RUNS_QUEUE } from '../queues.ts'

interface DeadLetter {
  readonly id: string
  readonly account: string
  readonly host: string
}

/**
 * Sends the jobs of dead letters again, in one transaction. An account whose job is there already gets no second one.
 *
 * @param accounts their names; null: all
 * @returns the accounts that are tried again, in order
 * @throws UsageError for an account without a dead letter; DatabaseError
 */
export function retryDeadLetters(
  queue: JobQueue,
  accounts: readonly string[] | null,
): Promise<readonly string[]> {
  return queue.database.transaction(async (trx) => {
    const dead = await deadLetters(trx)
    const chosen = accounts === null ? dead : dead.filter(({ account }) => accounts.includes(account))
    const names = [...new Set(chosen.map(({ account }) => account))]
    for (const account of accounts ?? []) if (!names.includes(account)) throw unknown(account, dead)
    if (chosen.length === 0) return []
    const hosts = new Map(chosen.map(({ account, host }) => [account, host]))
    const jobs = [...hosts].map(([account, host]) => jobOf(account, host))
    // guard: retry of dead letters
    await queue.boss.insert(RUNS_QUEUE, jobs, { db: executorIn(trx) })
    await queue.boss.deleteJob(
      DEAD_LETTER_QUEUE,
      chosen.map(({ id }) => id),
      { db: executorIn(trx) },
    )
    return names
  })
}

async function deadLetters(trx: Transaction): Promise<readonly DeadLetter[]> {
  const { rows } = await trx.query(
    `select id, data->>'account', data->>'host' from ${QUEUE_SCHEMA}.job
      where name = $1 and state = 'created' order by created_on, id for update`,
    [DEAD_LETTER_QUEUE],
  )
  return rows.map(([id, account, host]) => ({ id: String(id), account: String(account), host: String(host) }))
}

function unknown(account: string, dead: readonly DeadLetter[]): UsageError {
  const names = [...new Set(dead.map(({ account }) => account))]
  return new UsageError(
    `There is no dead letter of an account ${JSON.stringify(account)}${didYouMean(account, names)}; ${commandName()} queue lists them`,
  )
}
