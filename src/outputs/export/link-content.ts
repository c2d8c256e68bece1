/** What a link may show, and the text that it shows. */
import { sql } from 'kysely'
import { UsageError } from '../../common/errors.ts'
import { linkFormats } from '../../common/schema/link-formats.ts'
import type { Database } from '../../db/connect.ts'
import { CANCELLED, codeOf } from '../../db/errors/sqlstate.ts'
import type { Transaction } from '../../db/transaction.ts'
import { ofReadAccount } from '../../mirror/answers/read-view.ts'
import { REPORT, type LinkContent } from '../../mirror/keys/links.ts'
import { CALENDAR_VIEWS } from './calendar/calendar-queries.ts'
import type { LinkBodyFormat, LinkSource } from './formats/format.ts'
import { loadLinkFormat } from './formats/load-format.ts'
import { LinkError } from './link-error.ts'
import { chooseViews, EXPORTABLE, viewQuery } from './select-views.ts'

/**
 * Makes sure that a link can show this.
 *
 * @throws UsageError for an unknown form or view, a view that is no calendar, and one that cannot be had without personal data
 */
export function requireLinkContent({ view, format, with_personal }: Omit<LinkContent, 'event_id'>): void {
  if (!linkFormats.includes(format))
    throw new UsageError(
      `links create: the form must be one of ${linkFormats.join(', ')}, not ${JSON.stringify(format)}`,
    )
  if (view === REPORT) {
    if (format === 'html') return
    throw new UsageError(`links create: the report is a page: its form is html, not ${format}`)
  }
  chooseViews([view], !with_personal, 'links create')
  if (format === 'ics' && !CALENDAR_VIEWS.some((name) => name === view))
    throw new UsageError(
      `links create: ${view} is no calendar: choose one of ${CALENDAR_VIEWS.join(', ')}, or another form than ics`,
    )
}

/** What the file of a link is called: `thin-slots.csv`. */
export function linkFileName({ view, format }: Pick<LinkContent, 'view' | 'format'>): string {
  return `${view.replaceAll('_', '-')}.${format}`
}

/** A link, with the account whose rows it shows. */
export interface ShownLink extends LinkContent {
  readonly account: LinkSource['account']
}

export interface BodyLimits {
  readonly maxBytes: number
  /** For all statements together. */
  readonly timeoutMs: number
  /** A table that is locked says nothing of the link: what waits for it so long fails with a DatabaseError. */
  readonly lockTimeoutMs: number
}

export interface LinkBody extends Pick<LinkBodyFormat, 'contentType' | 'headers'> {
  readonly bytes: Buffer<ArrayBuffer>
}

/**
 * What a link shows now, all of one moment.
 *
 * @throws LinkError when the view is no more, or the body is too large or takes too long; MirrorNotFoundError; DatabaseError
 */
export async function makeLinkBody(
  database: Database,
  link: ShownLink,
  limits: BodyLimits,
): Promise<LinkBody> {
  // guard: removed views
  if (!EXPORTABLE.includes(link.view)) throw viewRemoved(link.view)
  const format = await loadLinkFormat(link.format)
  const { contentType, headers } = format
  const work = async (trx: Transaction) => {
    const source = await openSource(trx, link, format, limits.timeoutMs)
    return collect(format.parts(source), limits.maxBytes)
  }
  const { lockTimeoutMs } = limits
  const bytes = await ofReadAccount(database, link.account.name, work, { lockTimeoutMs })
  return { bytes, contentType, ...(headers && { headers }) }
}

function viewRemoved(view: string): LinkError {
  return new LinkError(
    'view_removed',
    `the table or view ${view} no longer exists: ask for a link to its replacement`,
  )
}

async function openSource(
  trx: Transaction,
  { view, event_id, with_personal, account }: ShownLink,
  format: LinkBodyFormat,
  timeoutMs: number,
): Promise<LinkSource> {
  const [chosen] = chooseViews([view], !with_personal)
  const filter = { accountId: account.id, event: event_id }
  const found = chosen && (await viewQuery(trx, chosen, filter, format))
  if (!found?.columns.some(({ name }) => name === 'account_id')) throw viewRemoved(view)
  const deadline = performance.now() + timeoutMs
  return {
    ...found,
    ask: (text) => askBefore(trx, deadline, text),
    name: view,
    account,
    event: event_id,
    withPersonal: with_personal,
    asOf: await lastReading(trx, account.id),
  }
}

/** @throws LinkError when the statement cannot end before the deadline */
async function askBefore(trx: Transaction, deadline: number, text: string) {
  const left = Math.ceil(deadline - performance.now())
  if (left <= 0) throw tooSlow()
  try {
    // guard: time of a link
    return await trx.queryWithin(left, text)
  } catch (error) {
    throw codeOf(error) === CANCELLED ? tooSlow(error) : error
  }
}

function tooSlow(cause?: unknown): LinkError {
  const message = 'the database takes too long to make this: make a link for one event, with --event'
  return new LinkError('too_slow', message, { cause })
}

/** On the clock of the account: `2026-11-24 08:59 Europe/Berlin`. A run that failed has read nothing. */
async function lastReading({ kysely }: Transaction, accountId: number): Promise<string | null> {
  const { rows } = await sql<{ ended: string }>`
    select to_char(run.finished_at at time zone account.time_zone, 'YYYY-MM-DD HH24:MI ') || account.time_zone as ended
      from headcount.sync_runs run join headcount.accounts account on account.id = run.account_id
     where account.id = ${accountId} and run.good and run.finished_at is not null
     order by run.id desc limit 1`.execute(kysely)
  return rows[0]?.ended ?? null
}

/** @throws LinkError when it is longer */
async function collect(parts: AsyncIterable<string>, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const part of parts) {
    const chunk = Buffer.from(part)
    size += chunk.byteLength
    // guard: size of a link
    if (size > maxBytes)
      throw new LinkError(
        'too_large',
        `this is larger than ${Math.floor(maxBytes / 1024 ** 2)} MiB: make a link for one event, with --event, or export it to files`,
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
