import { readServiceConfig, type Flags } from '../../config/config.ts'
import type { Logger, VerifyReport } from '../../index.ts'
import type { Command } from '../cli/context.ts'
import { exitCodesOfVerify } from '../exit-codes.ts'
import { openDisplay, runOptions } from './run-command.ts'
import { withTelemetry } from './with-telemetry.ts'
import { writeJson } from '../output/format/json.ts'
import { formatDifferences, formatVerification } from '../output/verify-report.ts'

type VerifyFlags = Flags & {
  readonly sample?: number
  readonly thorough?: true
  readonly event?: readonly string[]
  readonly json?: true
  readonly quiet?: true
}

export const verify: Command<VerifyFlags> = withTelemetry(async ({ flags, terminal, signal }) => {
  const config = await readServiceConfig(flags)
  const { display, ...log } = await openDisplay(config, terminal)
  const library = await import('../../index.ts')
  let report: VerifyReport
  {
    using shown = display
    report = await library.verify({
      ...runOptions(config),
      ...(flags.event !== undefined && { events: flags.event }),
      ...(flags.sample !== undefined && { sample: flags.sample }),
      ...(flags.thorough && { thorough: true }),
      signal,
      ...log,
      onProgress: (progress) => shown.show(progress),
    })
  }
  if (flags.json) await writeJson(terminal.out, report)
  else await terminal.out.write(formatDifferences(report))
  if (config.logFormat === 'json') logReport(report, log.logger)
  else if (report.status !== 'equal' || config.logLevel === 'info' || config.logLevel === 'debug') {
    await terminal.err.write(formatVerification(report, terminal.err))
  }
  return exitCodesOfVerify[report.status]
})

/** One line where logs are asked for; the differences themselves are on stdout. */
function logReport({ differences: _, ...report }: VerifyReport, logger: Logger): void {
  logger[report.status === 'equal' ? 'info' : 'warn']({ report }, `verify ${report.status}`)
}
