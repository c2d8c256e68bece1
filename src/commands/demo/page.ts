import { join } from 'node:path'
import type { Database } from '../../db/connect.ts'
import { readReport } from '../../mirror/answers/report/report-call.ts'
import { renderReport } from '../../outputs/report/render-report.ts'
import { writeReportFile } from '../../outputs/report/report-file.ts'
import { formatBytes } from '../../common/text/number.ts'
import { demoAccount, demoFolder } from './folder.ts'
import type { DemoOutput } from './output.ts'

const file = `./${join(demoFolder, 'report.html')}`

/** What `headcount report` writes, in the folder of the demo. */
export async function writePage(page: DemoOutput, database: Database, signal: AbortSignal): Promise<void> {
  const document = await readReport(
    database,
    { account: demoAccount, event: null, with_personal: true },
    null,
  )
  const html = renderReport(document)
  await writeReportFile(file, html, { isPersonal: true, signal })
  await page.block(
    [
      `${page.style('cyan', file)} (${formatBytes(Buffer.byteLength(html))}) has what is coming up, which slots`,
      'need people, how replies come in beside earlier events, the money, and',
      'what changed this week. Open it in a browser, or print it.',
    ].join('\n'),
  )
}
