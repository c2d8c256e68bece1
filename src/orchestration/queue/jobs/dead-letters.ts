import { commandName } from '../../../common/command-name.ts'
import { UsageError } from '../../../common/errors.ts'
import { didYouMean } from '../../../common/text/did-you-mean.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { executorIn } from '../executor.ts'
import type { JobQueue } from '../open-queue.ts'
import { DEAD_LETTER_QUEUE, jobOf, QUEUE_SCHEMA, RUNS_QUEUE } from '../queues.ts'
import { isHandedBack } from './handed-back.ts'

interface DeadLetter {
  readonly queue: string
  readonly id: string
  readonly account: string
  readonly host: string
}

/** The accounts whose dead letters are meant; null: all of them. */
export type ChosenAccounts = readonly string[] | null

/**
 * Sends the jobs of dead letters again, in one transaction. An account whose job is there already gets no second one.
 *
 * @param knows whether any worker has an account; the letters of the others stay
 * @returns the accounts that are tried again, in order
 * @throws UsageError for an account without a dead letter; DatabaseError
 */
export function retryDeadLetters(
  queue: JobQueue,
  accounts: ChosenAccounts,
  knows: (account: string) => boolean = () => true,
): Promise<readonly string[]> {
  return queue.database.transaction(async (trx) => {
    const letters = await lettersWhere(trx, isDead)
    const chosen = choose(letters, accounts, 'There is no dead letter').filter(({ account }) =>
      knows(account),
    )
    const hosts = new Map(chosen.map(({ account, host }) => [account, host]))
    const jobs = [...hosts].map(([account, host]) => jobOf(account, host))
    // guard: retry of dead letters
    if (jobs.length > 0) await queue.boss.insert(RUNS_QUEUE, jobs, { db: executorIn(trx) })
    return await remove(queue, trx, chosen)
  })
}

/**
 * Removes dead letters without another try, and jobs that wait for a worker with their account: of accounts that nobody reads any
 * more. One that is due is tried by its schedule.
 *
 * @returns, @throws as retryDeadLetters
 */
export function purgeDeadLetters(queue: JobQueue, accounts: ChosenAccounts): Promise<readonly string[]> {
  return queue.database.transaction(async (trx) => {
    const letters = await lettersWhere(trx, `(${isDead} or ${isHandedBack})`)
    const none = 'There is no dead letter, and no job that waits for a worker,'
    return await remove(queue, trx, choose(letters, accounts, none))
  })
}

/** @param none begins the message about an account without letters */
function choose(
  letters: readonly DeadLetter[],
  accounts: ChosenAccounts,
  none: string,
): readonly DeadLetter[] {
  if (accounts === null) return letters
  const names = [...new Set(letters.map(({ account }) => account))]
  const unknown = accounts.find((account) => !names.includes(account))
  if (unknown !== undefined)
    throw new UsageError(
      `${none} of an account ${JSON.stringify(unknown)}${didYouMean(unknown, names)}; ${commandName()} queue lists them`,
    )
  return letters.filter(({ account }) => accounts.includes(account))
}

/** @returns whose letters they were */
async function remove(
  queue: JobQueue,
  trx: Transaction,
  letters: readonly DeadLetter[],
): Promise<readonly string[]> {
  for (const [name, ofQueue] of Map.groupBy(letters, ({ queue }) => queue)) {
    const ids = ofQueue.map(({ id }) => id)
    await queue.boss.deleteJob(name, ids, { db: executorIn(trx) })
  }
  return [...new Set(letters.map(({ account }) => account))]
}

const isDead = `(name = '${DEAD_LETTER_QUEUE}' and state = 'created')`

async function lettersWhere(trx: Transaction, condition: string): Promise<readonly DeadLetter[]> {
  const { rows } = await trx.query(
    `select name, id, data->>'account', data->>'host' from ${QUEUE_SCHEMA}.job
      where ${condition} order by created_on, id for update`,
  )
  return rows.map((row) => {
    const [queue = '', id = '', account = '', host = ''] = row.map(String)
    return { queue, id, account, host }
  })
}
