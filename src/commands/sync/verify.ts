import type { Flags } from '../../config/config.ts'
import type { Logger, VerifyOptions, VerifyReport } from '../../index.ts'
import type { Command } from '../cli/context.ts'
import { exitCodesOfVerify } from '../exit-codes.ts'
import { resultFormat, writeDocument, type ResultFlags } from './accounts/result-writer.ts'
import { selectAccounts } from './accounts/select-accounts.ts'
import { showsProgress } from '../terminal/logger.ts'
import { runProgress } from '../terminal/progress.ts'
import { openDisplay, runOptions } from './run-command.ts'
import { withTelemetry } from './with-telemetry.ts'
import { formatDifferences, formatVerification } from '../output/verify-report.ts'

export type VerifyFlags = Flags &
  ResultFlags & {
    readonly sample?: number
    readonly thorough?: true
    readonly event?: readonly string[]
    readonly quiet?: true
  }

export const verify: Command<VerifyFlags> = withTelemetry(async (context) => {
  const { flags, terminal, signal } = context
  const selected = await selectAccounts(flags)
  if (selected.kind === 'all') {
    const { verifyAllAccounts } = await import('./accounts/verify-all-accounts.ts')
    return verifyAllAccounts(context, selected.accounts)
  }
  const { config } = selected
  const { display, ...log } = await openDisplay(config, terminal, runProgress)
  const library = await import('../../index.ts')
  let report: VerifyReport
  {
    using shown = display
    report = await library.verify({
      ...runOptions(config),
      ...(flags.event !== undefined && { events: flags.event }),
      ...depthOf(flags),
      signal,
      ...log,
      onProgress: (progress) => shown.show(progress),
    })
  }
  const format = resultFormat(flags)
  if (format !== null) await writeDocument(terminal.out, report, format)
  else await terminal.out.write(formatDifferences(report))
  if (config.logFormat === 'json') logReport(report, log.logger)
  else if (needsNote(report) || showsProgress(config)) {
    await terminal.err.write(formatVerification(report, terminal.err))
  }
  return exitCodesOfVerify[report.status]
})

/** How much of the account is compared, and how. */
export function depthOf({ sample, thorough }: VerifyFlags): Pick<VerifyOptions, 'sample' | 'thorough'> {
  return { ...(sample !== undefined && { sample }), ...(thorough && { thorough: true }) }
}

/** Whether there is something to tell also to whoever wants only warnings. */
function needsNote({ status, warnings }: Pick<VerifyReport, 'status' | 'warnings'>): boolean {
  return status !== 'equal' || warnings.length > 0
}

/** One line where logs are asked for; the differences themselves are on stdout. */
function logReport({ differences: _, ...report }: VerifyReport, logger: Logger): void {
  logger[needsNote(report) ? 'warn' : 'info']({ report }, `verify ${report.status}`)
}
