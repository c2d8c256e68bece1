/** Links for a program; each call as the command of this name. */
import { checkOptions } from '../../common/options/check-options.ts'
import { name } from '../../common/parse-values.ts'
import type { LinkFormat } from '../../common/schema/tables.ts'
import { revokeLinkCall, type RevokedKey } from '../../mirror/keys/keys.ts'
import {
  createLinkCall,
  linksCall,
  REPORT,
  type LinkContent,
  type ListedLink,
} from '../../mirror/keys/links.ts'
import { parseFutureInstant } from '../../mirror/instants/parse-instant.ts'
import { parseOption } from '../../common/options/parse-option.ts'
import { instantOption } from '../../mirror/library-api/instant-option.ts'
import { requireWholeNumber } from '../../common/options/amounts.ts'
import { callMirror, type AccountFilter, type MirrorOptions } from '../../mirror/library-api/with-mirror.ts'
import { linkFileName, requireLinkContent } from './link-content.ts'

export interface CreateLinkOptions extends MirrorOptions {
  /** The table or view; or `report`, the page that `report` makes, whose form is `html`. */
  readonly view: string
  readonly format: LinkFormat
  /** The account whose rows it shows: `default`, or the only one, when not given. */
  readonly account?: string
  /** Rows of this event alone. */
  readonly event?: string
  /** Without names, addresses and messages; of a report so unless this is `false`. */
  readonly withoutPersonal?: boolean
  /** What the link is for; 200 characters at most. */
  readonly label?: string
  /** A `Date`, an instant like `2030-01-01T12:00:00Z`, or a time from now like `90d`; a link without one never expires. */
  readonly expiresAt?: Date | string
}

export interface CreatedLink {
  readonly id: number
  /** Below the address of the service: `/l/<43 characters>/thin-slots.csv`. Whoever has it sees the rows. */
  readonly path: string
  readonly account: string
  readonly expiresAt: string | null
}

/**
 * Makes an address under which `createService` shows a table, a view or the report without a key. Nobody can read it again: the mirror keeps
 * only a hash.
 *
 * @throws UsageError for an unknown view, account or event, and when an option cannot be used
 */
export async function createLink(options: CreateLinkOptions): Promise<CreatedLink> {
  checkOptions(options, 'view', 'format')
  const { view, format, account, event, label, expiresAt } = options
  const { withoutPersonal = view === REPORT } = options
  const content = { view, format, event_id: event ?? null, with_personal: !withoutPersonal }
  requireLinkContent(content)
  const { token, ...created } = await callMirror(options, createLinkCall, {
    ...content,
    account: account ?? null,
    label: label === undefined ? null : parseOption('label', () => name(label)),
    expires: expiresAt === undefined ? null : instantOption('expiresAt', expiresAt, parseFutureInstant),
  })
  return { ...created, path: linkPath(token, content) }
}

/** The path of a link below the address of the service. */
export function linkPath(token: string, content: Pick<LinkContent, 'view' | 'format'>): string {
  return `/l/${token}/${linkFileName(content)}`
}

/**
 * The links that were made, with their state and last use; never an address.
 *
 * @throws UsageError when the mirror has no account of this name
 */
export async function listLinks(options: AccountFilter): Promise<readonly ListedLink[]> {
  checkOptions(options)
  return callMirror(options, linksCall, { account: options.account ?? null })
}

export interface RevokeLinkOptions extends AccountFilter {
  /** As `createLink` and `listLinks` give it. */
  readonly id: number
}

/**
 * Revokes a link for good: its address answers 410 from then on.
 *
 * @throws UsageError when there is no such link
 */
export async function revokeLink(options: RevokeLinkOptions): Promise<RevokedKey> {
  checkOptions(options, 'id')
  const id = requireWholeNumber('id', options.id, 1)
  return callMirror(options, revokeLinkCall, { id, account: options.account ?? null })
}
