import { UsageError } from '../../common/errors.ts'
import type { Database } from '../../db/connect.ts'
import type { BodyLimits, LinkBody, ShownLink } from '../export/link-content.ts'
import { LinkError } from '../export/link-error.ts'
import { readReport } from '../../mirror/answers/report/report-call.ts'
import { headerPolicy } from '../export/html-page.ts'
import { SCRIPT } from './embedded/script.ts'
import { STYLE } from './embedded/style.ts'
import { renderReport } from './render-report.ts'

/**
 * The page that a link shows now.
 *
 * @throws LinkError when the event is no more, or the page is too large or takes too long; DatabaseError
 */
export async function makeReportBody(
  database: Database,
  { account, event_id, with_personal }: ShownLink,
  { maxBytes, timeoutMs, lockTimeoutMs }: BodyLimits,
): Promise<LinkBody> {
  const deadline = performance.now() + timeoutMs
  const input = { account: account.name, event: event_id, with_personal }
  const document = await readReport(database, input, {
    leftMs: () => {
      const left = Math.ceil(deadline - performance.now())
      if (left <= 0) throw tooSlow(event_id)
      return left
    },
    exceeded: (cause) => tooSlow(event_id, cause),
    lockTimeoutMs,
  }).catch((error: unknown) => {
    throw error instanceof UsageError ? new LinkError('view_removed', error.message, { cause: error }) : error
  })
  const bytes = Buffer.from(renderReport(document))
  if (bytes.byteLength > maxBytes)
    throw new LinkError('too_large', 'this page is too large: make a link for one event, with --event')
  return {
    bytes,
    contentType: 'text/html; charset=utf-8',
    headers: { 'Content-Security-Policy': headerPolicy({ style: STYLE, script: SCRIPT }) },
  }
}

function tooSlow(event: string | null, cause?: unknown): LinkError {
  const remedy = event === null ? 'make a link for one event, with --event, or ' : ''
  return new LinkError(
    'too_slow',
    `the database takes too long to make this: ${remedy}let cron write the page to a file (report --out)`,
    { cause },
  )
}
