/** Links: addresses under which `serve` shows one table or view of an account without a key. */
import { sql } from 'kysely'
import { lockAccount } from '../accounts/resolve-account.ts'
import { UsageError } from '../../common/errors.ts'
import type { LinkFormat, Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { requireEvent } from '../answers/read-view.ts'
import { stateOf, type KeyState } from './keys.ts'
import { generateToken, hashKey } from './secret.ts'

/** What stands for a view in a link to the page of `headcount report`. */
export const REPORT = 'report'

/** What a link shows. */
export interface LinkContent {
  /** The table or view; or `report`, the page of `headcount report`. */
  readonly view: string
  readonly format: LinkFormat
  /** The one event whose rows it shows; null: of all events. */
  readonly event_id: string | null
  /** Whether names, addresses and messages are shown. */
  readonly with_personal: boolean
}

export interface LinkOptions extends LinkContent {
  /** The name of an account of the mirror. */
  readonly account: string
  readonly label: string | null
  /** When it stops working; null: never. */
  readonly expiresAt: Timestamp | null
}

/**
 * Makes a link to a table, a view or the report. Nobody can read its address again: the mirror keeps only a hash of the token in it.
 *
 * @throws UsageError when the mirror has no such account or event, or rows of the view are of no event; RemovedAccountError
 */
export async function createLink(
  trx: Transaction,
  { account, view, format, event_id, with_personal, label, expiresAt }: LinkOptions,
): Promise<{ readonly id: number; readonly token: string }> {
  if (event_id !== null) {
    await requireEvent(trx, event_id, account)
    if (view !== REPORT) await requireEventColumn(trx, view)
  }
  const token = generateToken()
  const { id } = await trx.kysely
    .insertInto('headcount.links')
    .values({
      account_id: await lockAccount(trx, account),
      sha256: hashKey(token),
      view,
      format,
      event_id,
      with_personal,
      label,
      expires_at: expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id: Number(id), token }
}

async function requireEventColumn({ kysely }: Transaction, view: string): Promise<void> {
  const { rows } = await sql`
    select from pg_catalog.pg_attribute
     where attrelid = to_regclass(${`headcount.${view}`}) and attname = ${view === 'events' ? 'id' : 'event_id'}`.execute(
    kysely,
  )
  if (rows.length === 0)
    throw new UsageError(`links create: rows of ${view} are of no event: leave --event out`)
}

/** A link as it is listed: without its address and without its hash. */
export interface ListedLink extends LinkContent {
  readonly id: number
  readonly account: string
  readonly label: string | null
  readonly state: KeyState
  readonly created_at: Timestamp
  readonly expires_at: Timestamp | null
  /** A day in UTC, like 2026-01-31. */
  readonly last_used_on: string | null
  readonly revoked_at: Timestamp | null
}

/** The links of one account, or of all, in the order in which they were made. */
export async function listLinks(
  { kysely }: Transaction,
  account: string | null,
): Promise<readonly ListedLink[]> {
  const rows = await kysely
    .selectFrom('headcount.links as link')
    .innerJoin('headcount.accounts as account', 'account.id', 'link.account_id')
    .select(['link.id', 'account.name as account', 'link.view', 'link.format'])
    .select(['link.event_id', 'link.with_personal', 'link.label', stateOf('link').as('state')])
    .select(['link.created_at', 'link.expires_at', 'link.last_used_on', 'link.revoked_at'])
    .$if(account !== null, (query) => query.where('account.name', '=', account))
    .orderBy('account.id')
    .orderBy('link.id')
    .execute()
  return rows.map((row) => ({ ...row, id: Number(row.id) }))
}
