/** Links: addresses under which `serve` shows one table or view of an account without a key. */
import { sql } from 'kysely'
import { lockAccount } from '../accounts/resolve-account.ts'
import { UsageError } from '../../common/errors.ts'
import { linkFormats } from '../../common/schema/link-formats.ts'
import type { LinkFormat } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { eventColumn, requireEventOf } from '../answers/event-rows.ts'
import { defineAccountList, defineChange } from '../calls/call.ts'
import { boolean, object, orNull, text, wordOf } from '../calls/input.ts'
import {
  type CreatedKey,
  listAccess,
  newKeyFields,
  resolveAccess,
  type KeyOptions,
  type ListedKey,
} from './keys.ts'
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

export interface LinkOptions extends LinkContent, KeyOptions {}

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
    await requireEventOf([view], trx, event_id, account)
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
     where attrelid = to_regclass(${`headcount.${view}`}) and attname = ${eventColumn(view)}`.execute(kysely)
  if (rows.length === 0)
    throw new UsageError(`links create: rows of ${view} are of no event: leave --event out`)
}

export interface CreatedToken extends Omit<CreatedKey, 'key'> {
  readonly token: string
}

const readInput = object({
  ...newKeyFields,
  view: text,
  format: wordOf(linkFormats),
  event_id: orNull(text),
  with_personal: boolean,
})

export const createLinkCall = defineChange(
  'create-link',
  readInput,
  async (trx, { account, expires, ...content }): Promise<CreatedToken> => {
    const meant = await resolveAccess(trx, { account, expires })
    return { ...(await createLink(trx, { ...content, ...meant })), ...meant }
  },
)

/** A link as it is listed: without its address and without its hash. */
export interface ListedLink extends LinkContent, ListedKey {}

/** The links of one account, or of all, in the order in which they were made. */
export function listLinks(trx: Transaction, account: string | null): Promise<readonly ListedLink[]> {
  return listAccess(trx, 'links', sql`row.view, row.format, row.event_id, row.with_personal,`, account)
}

export const linksCall = defineAccountList('links', listLinks)
