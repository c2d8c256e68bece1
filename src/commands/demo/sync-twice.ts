import { sync } from '../../index.ts'
import type { RunReport } from '../../index.ts'
import type { SampleAccount } from './account/account.ts'
import { formatCount, formatNumber } from '../../common/text/number.ts'
import { formatReport } from '../output/run-report.ts'
import { openBar, runProgress } from '../terminal/progress.ts'
import type { Output } from '../terminal/terminal.ts'
import { demoAccount, demoTarget } from './folder.ts'
import type { DemoOutput } from './output.ts'
import type { SampleService } from './sample-service.ts'

/** What a run of the demo needs. */
export interface DemoContext {
  readonly page: DemoOutput
  readonly service: SampleService
  /** Where the bar stands while a run goes on. */
  readonly err: Output
  readonly signal: AbortSignal
}

export async function introduce(page: DemoOutput, account: SampleAccount): Promise<void> {
  const events = formatNumber(account.events().length)
  const responses = formatNumber(countResponses(account))
  await page.heading('headcount demo')
  await page.block(
    `A sample account, three neighbourhood houses with ${events} events and ${responses}\n` +
      'responses, is served over HTTP on this machine. Nothing leaves it.',
  )
}

/** The account moves on a step; the report shows that the run wrote just that. */
export async function syncAgain(context: DemoContext): Promise<void> {
  const { added, edited, cancelled } = context.service.account.advance()
  await context.page.block(
    `In the meantime: ${formatCount(added.length, 'new response')}, ${edited.length} changed, ` +
      `${cancelled.length} cancelled.`,
  )
  const report = await syncDemo(context)
  const { inserted, updated } = report.rows.responses
  const total = countResponses(context.service.account)
  await context.page.block(
    `${formatReport(report, context.page)}\n` +
      `${formatNumber(total - inserted - updated)} of ${formatNumber(total)} responses were as before: their rows were not touched.`,
  )
}

export async function syncDemo({ service, err, signal }: DemoContext): Promise<RunReport> {
  using bar = err.isTerminal ? await openBar(err, runProgress) : null
  return await sync({
    database: demoTarget,
    account: demoAccount,
    apiKey: service.apiKey,
    baseUrl: service.url,
    signal,
    onProgress: (progress) => bar?.show(progress),
  })
}

function countResponses(account: SampleAccount): number {
  return account.events().reduce((sum, { id }) => sum + (account.responses(id)?.length ?? 0), 0)
}
