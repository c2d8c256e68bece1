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

/** The accounts whose dead letters are meant; null: all of them. */
export type ChosenAccounts = readonly string[] | null

/**
 * Sends the jobs of dead letters again, in one transaction. An account whose job is there already gets no second one.
 *
 * @returns the accounts that are tried again, in order
 * @throws UsageError for an account without a dead letter; DatabaseError
 */
export function retryDeadLetters(queue: JobQueue, accounts: ChosenAccounts): Promise<readonly string[]> {
  return queue.database.transaction(async (trx) => {
    const chosen = await chosenLetters(trx, accounts)
    const hosts = new Map(chosen.map(({ account, host }) => [account, host]))
    const jobs = [...hosts].map(([account, host]) => jobOf(account, host))
    // guard: retry of dead letters
    if (jobs.length > 0) await queue.boss.insert(RUNS_QUEUE, jobs, { db: executorIn(trx) })
    return await remove(queue, trx, chosen)
  })
}

/**
 * Removes dead letters without another try: of accounts that nobody reads any more. One that is due is tried by its schedule.
 *
 * @returns, @throws as retryDeadLetters
 */
export function purgeDeadLetters(queue: JobQueue, accounts: ChosenAccounts): Promise<readonly string[]> {
  return queue.database.transaction(async (trx) => remove(queue, trx, await chosenLetters(trx, accounts)))
}

async function chosenLetters(trx: Transaction, accounts: ChosenAccounts): Promise<readonly DeadLetter[]> {
  const dead = await deadLetters(trx)
  if (accounts === null) return dead
  for (const account of accounts)
    if (dead.every((letter) => letter.account !== account)) throw unknown(account, dead)
  return dead.filter(({ account }) => accounts.includes(account))
}

/** @returns whose letters they were */
async function remove(
  queue: JobQueue,
  trx: Transaction,
  letters: readonly DeadLetter[],
): Promise<readonly string[]> {
  const ids = letters.map(({ id }) => id)
  if (ids.length > 0) await queue.boss.deleteJob(DEAD_LETTER_QUEUE, ids, { db: executorIn(trx) })
  return [...new Set(letters.map(({ account }) => account))]
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
