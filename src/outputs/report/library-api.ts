import { checkOptions } from '../../common/options/check-options.ts'
import { interruptible, NEVER } from '../../common/abort.ts'
import { readMirror, type AccountFilter } from '../../mirror/library-api/with-mirror.ts'
import type { ReportDocument } from '../../mirror/answers/report/document.ts'
import { readReport } from '../../mirror/answers/report/report-call.ts'
import { renderReport } from './render-report.ts'
import { requireReportPath, writeReportFile } from './report-file.ts'

export interface ReportOptions extends AccountFilter {
  /** The page of the event with this id; of the account when not given. */
  readonly event?: string
  /** Without names and addresses. */
  readonly withoutPersonal?: boolean
  /** A file that the page is written to, too. */
  readonly out?: string
  /** Its abort ends the call; the file stays as it was. */
  readonly signal?: AbortSignal
}

export interface Report {
  /** What the page shows, as data. */
  readonly document: ReportDocument
  /** One HTML file that needs nothing else. */
  readonly html: string
}

/**
 * Makes the page for a meeting: of an account (`default`, or the only one, when none is named), or of one event.
 *
 * @throws UsageError for an unknown account or event, and for a file that cannot be; OutputError
 */
export async function report(options: ReportOptions): Promise<Report> {
  checkOptions(options)
  const { account = null, event = null, withoutPersonal = false, out } = options
  const { signal = NEVER } = options
  if (out !== undefined) await requireReportPath(out)
  const interrupted = 'The report was interrupted; the file stays as it was.'
  return interruptible(signal, interrupted, async () => {
    const document = await readMirror({ ...options, interrupted }, (database) =>
      readReport(database, { account, event, with_personal: !withoutPersonal }, null),
    )
    const html = renderReport(document)
    if (out !== undefined) await writeReportFile(out, html, { isPersonal: !withoutPersonal, signal })
    return { document, html }
  })
}
