import type { Flags } from '../../config/config.ts'
import type { RunReport } from '../../index.ts'
import { outcomeOf } from '../../common/schema/run-report.ts'
import { runsCall, type ListedRun } from '../../mirror/calls/runs.ts'
import type { Command } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import { formatDuration } from '../../common/format-duration.ts'
import { writeJson } from '../output/format/json.ts'
import { formatNumber } from '../output/format/number.ts'
import { drawTable } from '../output/format/table.ts'
import { formatTimestamp } from '../output/format/timestamp.ts'
import type { Output } from '../terminal/terminal.ts'

type RunsFlags = Flags & { readonly json?: true; readonly limit: number }

export const runs: Command<RunsFlags> = async (context) => {
  const { flags, terminal } = context
  const found = await callMirror(context, runsCall, ({ account }) => ({ account, limit: flags.limit }))
  if (flags.json) await writeJson(terminal.out, { runs: found })
  else await terminal.out.write(found.length === 0 ? 'No runs yet.\n' : formatRuns(found, terminal.out))
  return 0
}

function formatRuns(found: readonly ListedRun[], out: Output): string {
  return drawTable(
    [
      { heading: 'run', align: 'right' },
      { heading: 'account' },
      { heading: 'mode' },
      { heading: 'status' },
      { heading: 'started' },
      { heading: 'took', align: 'right' },
      { heading: 'due', align: 'right' },
      { heading: 'failed', align: 'right' },
      { heading: 'rows changed', align: 'right' },
      { heading: 'held', align: 'right' },
      { heading: 'rejected', align: 'right' },
    ],
    found.map((run) => [
      String(run.run_id),
      stripControlCharsInLine(run.account),
      run.mode,
      run.report === null ? run.status : outcomeOf(run.report),
      formatTimestamp(run.started_at, 'second'),
      ...figures(run.report),
    ]),
    { width: out.width, styleHeading: (text) => out.style('bold', text) },
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
