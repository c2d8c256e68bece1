import type { Flags } from '../../config/config.ts'
import type { RunReport } from '../../index.ts'
import { outcomeOf } from '../../common/schema/run-report.ts'
import { runsCall, type ListedRun } from '../../mirror/calls/runs.ts'
import type { Command } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { formatDuration } from '../../common/format-duration.ts'
import { writeResult } from '../output/format/json.ts'
import { formatNumber } from '../output/format/number.ts'
import { listTable, right } from '../output/format/table.ts'
import { formatTimestamp } from '../output/format/timestamp.ts'
import type { Output } from '../terminal/terminal.ts'

type RunsFlags = Flags & { readonly json?: true; readonly limit: number }

export const runs: Command<RunsFlags> = async (context) => {
  const { limit } = context.flags
  const found = await callMirror(context, runsCall, ({ account }) => ({ account, limit }))
  await writeResult(context, { runs: found }, (out) =>
    found.length === 0 ? 'No runs yet.\n' : formatRuns(found, out),
  )
  return 0
}

function formatRuns(found: readonly ListedRun[], out: Output): string {
  return listTable(
    out,
    [
      right('run'),
      'account',
      'mode',
      'status',
      'started',
      right('took'),
      right('due'),
      right('failed'),
      right('rows changed'),
      right('held'),
      right('rejected'),
    ],
    found.map((run) => [
      String(run.run_id),
      run.account,
      run.mode,
      run.report === null ? run.status : outcomeOf(run.report),
      formatTimestamp(run.started_at, 'second'),
      ...figures(run.report),
    ]),
  )
}

/** From the report; blank for a run that has none (running, or taken over by another). */
function figures(report: RunReport | null): readonly string[] {
  if (report === null) return ['', '', '', '', '', '']
  const changed = Object.values(report.rows).reduce(
    (sum, { inserted, updated, deleted }) => sum + inserted + updated + deleted,
    0,
  )
  const counts = [report.events.due, report.events.failed, changed, report.held, report.rejected]
  return [formatDuration(report.duration_ms), ...counts.map(formatNumber)]
}
