/** Jobs of accounts that a worker did not have: a worker that has one takes its job before others. */
import type { Transaction } from '../../../db/transaction.ts'
import { QUEUE_SCHEMA, RUNS_QUEUE } from '../queues.ts'

/** Of the table of jobs: those that wait for a worker with their account. */
export const isHandedBack = `(name = '${RUNS_QUEUE}' and state = 'created' and data ? 'unknownSince')`

/** Before jobs that wait only for their turn. */
const FIRST = 1

/**
 * Lets the jobs of accounts that are known here be taken now.
 *
 * @throws DatabaseError
 */
export async function releaseHandedBack(
  trx: Transaction,
  knows: (account: string) => boolean,
): Promise<void> {
  // A worker without the account hands its job back for an hour, so only later jobs need a look.
  const { rows } = await trx.query(
    `select id, data->>'account' from ${QUEUE_SCHEMA}.job where ${isHandedBack} and start_after > now()`,
  )
  const known = rows.filter(([, account]) => knows(String(account))).map(([id]) => String(id))
  if (known.length === 0) return
  // guard: jobs handed back by others
  await trx.query(
    `update ${QUEUE_SCHEMA}.job set start_after = now(), priority = ${FIRST}
      where ${isHandedBack} and id in (select value::uuid from json_array_elements_text($1))`,
    [JSON.stringify(known)],
  )
}
