import { UsageError } from '../../common/errors.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { ReportDocument } from '../../mirror/answers/report/document.ts'
import { reportCall } from '../../mirror/answers/report/report-call.ts'
import { renderReport } from '../../outputs/report/render-report.ts'
import { requireReportPath, writeReportFile } from '../../outputs/report/report-file.ts'
import type { Command, Context, JsonFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeJson } from '../output/format/json.ts'
import { formatBytes } from '../../common/text/number.ts'
import { formatInstant } from '../output/format/timestamp.ts'
import { showSeconds } from '../terminal/show-seconds.ts'

type ReportFlags = JsonFlags & {
  readonly out?: string
  readonly event?: string
  readonly withoutPersonal?: true
  readonly quiet?: true
}

/** Writes the page for a meeting to a file. */
export const reportCommand: Command<ReportFlags> = async (context) => {
  const { flags, terminal, signal } = context
  const { out, withoutPersonal = false } = flags
  if (out === undefined && !flags.json)
    throw new UsageError('report takes --out FILE, - for stdout, or --json for the figures alone')
  if (out === '-' && flags.json)
    throw new UsageError('report: --out - writes the page to stdout, and --json the figures: leave one out')
  if (out !== undefined && out !== '-') await requireReportPath(out)
  const document = await read(context)
  if (out === '-') await terminal.out.write(renderReport(document))
  else if (out !== undefined) {
    const page = renderReport(document)
    await writeReportFile(out, page, { isPersonal: !withoutPersonal, signal })
    if (!flags.json && !flags.quiet)
      await terminal.out.write(describe(document, out, Buffer.byteLength(page)))
  }
  if (flags.json) await writeJson(terminal.out, document)
  return 0
}

async function read(context: Context<ReportFlags>): Promise<ReportDocument> {
  const { event = null, withoutPersonal = false } = context.flags
  const { err } = context.terminal
  using _line = showSeconds(err, (seconds) => `reading the mirror for the report, ${seconds} s`)
  return await callMirror(context, reportCall, ({ account }) => ({
    account,
    event,
    with_personal: !withoutPersonal,
  }))
}

function describe(
  { account, made_at, with_personal, subject }: ReportDocument,
  file: string,
  bytes: number,
): string {
  const whose = `${subject === 'event' ? 'one event' : 'the events'} of account ${stripControlCharsInLine(account)}`
  const personal = with_personal ? ' It has names and addresses: only you can read the file.' : ''
  return `${file} (${formatBytes(bytes)}) shows ${whose} as of ${formatInstant(made_at)}.${personal}\n`
}
