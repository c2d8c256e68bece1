import { commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import { withBrackets } from '../../common/listen.ts'
import type { LinkFormat } from '../../common/schema/tables.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { ServeConfig } from '../../config/config.ts'
import { requireLinkContent } from '../../outputs/export/link-content.ts'
import { linkPath } from '../../outputs/export/library-links.ts'
import { revokeLinkCall } from '../../mirror/keys/keys.ts'
import { READABLE_WITHOUT_PERSONAL } from '../../db/readers/readable.ts'
import {
  createLinkCall,
  linksCall,
  REPORT,
  type CreatedToken,
  type LinkContent,
  type ListedLink,
} from '../../mirror/keys/links.ts'
import type { InstantInput } from '../../mirror/instants/parse-instant.ts'
import type { Command, JsonFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeResult } from '../output/format/json.ts'
import { listTable, right, text } from '../output/format/table.ts'
import { formatInstant } from '../output/format/timestamp.ts'
import type { Output } from '../terminal/terminal.ts'
import { describeExpiry, describeState, revokeByNumber, writeOnce } from './keys.ts'

export const links: Command<JsonFlags> = async (context) => {
  const found = await callMirror(context, linksCall, ({ account }) => ({ account }))
  return writeResult(context, { links: found }, (out) =>
    found.length === 0 ? `No links yet. ${commandName()} links create makes one.\n` : formatLinks(found, out),
  )
}

function formatLinks(found: readonly ListedLink[], out: Output): string {
  return listTable(out, found, [
    [right('id'), ({ id }) => String(id)],
    ['account', ({ account }) => account],
    [text('shows'), describeContent],
    [text('label'), ({ label }) => label ?? ''],
    ['state', describeState],
    ['expires', describeExpiry],
    ['last used', ({ last_used_on }) => last_used_on ?? 'never'],
  ])
}

function describeContent({ view, format, event_id, with_personal }: LinkContent): string {
  const of = event_id === null ? '' : ` of ${event_id}`
  const what = view === REPORT ? `${view}${of}` : `${view}${of} as ${format}`
  return `${what}${with_personal ? '' : ', nothing personal'}`
}

type CreateFlags = JsonFlags & {
  readonly view?: string
  readonly as?: LinkFormat
  readonly report?: true
  readonly event?: string
  readonly withoutPersonal?: true
  readonly withPersonal?: true
  readonly label?: string
  readonly expires?: InstantInput
}

/** Creates a link and prints its address, alone on stdout. It cannot be shown again. */
export const linksCreate: Command<CreateFlags> = async (context) => {
  const { flags, terminal } = context
  const content: LinkContent = { ...shownBy(flags), event_id: flags.event ?? null }
  requireLinkContent(content)
  let base = ''
  const { token, ...made } = await callMirror(context, createLinkCall, ({ account, serve }) => {
    base = addressOf(serve)
    return { ...content, account, label: flags.label ?? null, expires: flags.expires ?? null }
  })
  terminal.redact(token)
  const address = base + linkPath(token, content)
  await writeOnce(context, { id: made.id, url: address }, address, describeCreated(made, content))
  if (address.startsWith('http:')) await terminal.err.write(describeReach(base))
  return 0
}

/** @throws UsageError for flags that do not go together */
function shownBy(flags: CreateFlags): Omit<LinkContent, 'event_id'> {
  const { view, as: format, report = false, withoutPersonal = false, withPersonal = false } = flags
  if (withPersonal && withoutPersonal)
    throw new UsageError('links create: --with-personal and --without-personal exclude each other')
  if (report) {
    if (view !== undefined || format !== undefined)
      throw new UsageError('links create: --report is a page of its own: leave --view and --as out')
    // guard: names behind a link to a report
    return { view: REPORT, format: 'html', with_personal: withPersonal }
  }
  if (view === REPORT)
    throw new UsageError('links create: the report is no view: take --report in place of --view and --as')
  if (view === undefined || format === undefined)
    throw new UsageError(
      `links create takes --view NAME and --as FORM (csv, html, ics or json), or --report for the page of ${commandName()} report`,
    )
  if (withPersonal)
    throw new UsageError(
      'links create: --with-personal is for --report: a link to a view shows names unless it is made --without-personal',
    )
  return { view, format, with_personal: !withoutPersonal }
}

/** Where `serve` is reached: by the public address, else on this machine. */
function addressOf({ publicUrl, host, port }: ServeConfig): string {
  if (publicUrl !== null) return publicUrl
  const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${withBrackets(local)}:${port}`
}

function describeCreated(
  { id, account, expiresAt }: Omit<CreatedToken, 'token'>,
  content: LinkContent,
): string {
  const end = expiresAt === null ? '' : ` until ${formatInstant(expiresAt)}`
  const isPersonal = content.with_personal && !READABLE_WITHOUT_PERSONAL.includes(content.view)
  return (
    `Link ${id} shows ${stripControlCharsInLine(describeContent(content))} of account ${stripControlCharsInLine(account)} to whoever has this address${end}` +
    `${isPersonal ? ', with names, addresses and messages' : ''}. It is shown only this once; ${commandName()} links revoke ${id} revokes it.\n`
  )
}

function describeReach(base: string): string {
  return (
    `Only this machine or network reaches ${base}; where serve has another --port, put it in the address. ` +
    `For spreadsheets and calendars on the web set HEADCOUNT_PUBLIC_URL ` +
    `to the https address of a proxy before serve (docs/spreadsheets.md).\n`
  )
}

/** Revokes a link. A link that is revoked already is no failure. */
export const linksRevoke: Command<JsonFlags> = (context) =>
  revokeByNumber(context, revokeLinkCall, 'link', 'its address shows nothing')
