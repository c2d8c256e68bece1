/** Mirrors of several accounts, filled by SQL: no service was read for them. */
import type { Database } from '../../../src/db/connect.ts'
import { newKey } from '../mirror/new-key.ts'

export interface MirroredAccount {
  readonly name: string
  readonly email: string
  readonly key: string
  /** Of its events: the first one is its own, the second one has the same id in every account. */
  readonly eventIds: readonly string[]
}

/** An account with two events, each with a few responses in which its name stands. */
export async function addAccount(database: Database, name: string): Promise<MirroredAccount> {
  const eventIds = [`of-${name}`, 'of-all']
  const email = `owner@${name}.example`
  await database.transaction(async (trx) => {
    const { rows } = await trx.query(
      'insert into headcount.accounts (name, email) values ($1, $2) returning id',
      [name, email],
    )
    const id = rows[0]?.[0]
    await trx.query(
      `insert into headcount.sync_runs (account_id, mode, status, good, finished_at)
       values ($1, 'backfill', 'succeeded', true, now())`,
      [id],
    )
    await trx.query(
      `insert into headcount.events (account_id, id, title, _run_id)
       select $1, event, $3 || ' invites', 1 from unnest($2::text[]) event`,
      [id, eventIds, name],
    )
    await trx.query(
      `insert into headcount.responses (account_id, event_id, id, kind, name, rsvp, _run_id)
       select $1, event, n, 'reply', $3 || ' guest ' || n, 'yes', 1
         from unnest($2::text[]) event, generate_series(1, 3) n`,
      [id, eventIds, name],
    )
    await vouch(trx, id, ['', ...eventIds])
  })
  return { name, email, key: await newKey(database, name), eventIds }
}

/** An event with so many responses, of some 80 characters each as they are served and those of the message. */
export async function addLargeList(
  database: Database,
  { account, event, rows, message = 180 }: { account: string; event: string; rows: number; message?: number },
): Promise<void> {
  await database.transaction(async (trx) => {
    const found = await trx.query('select id from headcount.accounts where name = $1', [account])
    const id = found.rows[0]?.[0]
    await trx.query('insert into headcount.events (account_id, id, _run_id) values ($1, $2, 1)', [id, event])
    await trx.query(
      `insert into headcount.responses (account_id, event_id, id, kind, name, message, rsvp, _run_id)
       select $1, $2, n, 'reply', 'Guest ' || n, repeat('o', $4::int), 'yes', 1 from generate_series(1, $3::int) n`,
      [id, event, rows, message],
    )
    await vouch(trx, id, [event])
  })
}

/** The lists count as read, whole, just now. */
async function vouch(
  trx: Parameters<Parameters<Database['transaction']>[0]>[0],
  id: unknown,
  lists: readonly string[],
): Promise<void> {
  await trx.query(
    `insert into headcount.sync_state (account_id, event_id, digest, checked_at)
     select $1::int, list, sha256(($1 || list)::bytea), now() from unnest($2::text[]) list`,
    [id, lists],
  )
}
