/** A queue in a database of the test's own. */
import type { Database } from '../../../src/db/connect.ts'
import { createDispatcher, type Dispatcher } from '../../../src/orchestration/queue/dispatcher.ts'
import { groupBySchedule, type QueueAccount } from '../../../src/orchestration/queue/due-groups.ts'
import { openQueue, type JobQueue } from '../../../src/orchestration/queue/open-queue.ts'
import { jobOf, RUNS_QUEUE } from '../../../src/orchestration/queue/queues.ts'
import { freshPlace } from '../databases/databases.ts'

export interface QueueStage extends AsyncDisposable {
  readonly url: string
  readonly database: Database
  readonly queue: JobQueue
  /** Sends a job for each. */
  readonly send: (...accounts: readonly QueueAccount[]) => Promise<void>
  /** A statement by hand; the rows as arrays. */
  readonly query: (text: string) => Promise<readonly (readonly unknown[])[]>
}

export async function openQueueStage(): Promise<QueueStage> {
  await using opened = new AsyncDisposableStack()
  const place = opened.use(await freshPlace('postgres'))
  const database = opened.use(await place.open())
  const queue = opened.use(await openQueue(database))
  const done = opened.move()
  return {
    url: place.url,
    database,
    queue,
    send: async (...accounts) => {
      await queue.boss.insert(
        RUNS_QUEUE,
        accounts.map(({ name, host }) => jobOf(name, host)),
      )
    },
    query: (text) => database.transaction(async (trx) => (await trx.query(text)).rows),
    [Symbol.asyncDispose]: () => done.disposeAsync(),
  }
}

export function queueAccount(name: string, more: Partial<QueueAccount> = {}): QueueAccount {
  return { name, host: 'events.example', schedule: '*/15 * * * *', timezone: 'UTC', ...more }
}

export interface TestDispatcher extends Dispatcher {
  readonly told: string[]
}

export function dispatcherOf(queue: JobQueue, accounts: readonly QueueAccount[]): TestDispatcher {
  const told: string[] = []
  const log = (_: string, message: string) => void told.push(message)
  return { ...createDispatcher({ queue, groups: () => groupBySchedule(accounts), log }), told }
}
