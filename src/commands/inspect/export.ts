import { followAbort } from '../../common/abort.ts'
import { UsageError } from '../../common/errors.ts'
import { exportToFolder, exportToSink, type ExportProgress } from '../../outputs/export/export-views.ts'
import type { ExportFormat } from '../../outputs/export/formats/format.ts'
import type { ExportManifest } from '../../outputs/export/manifest.ts'
import { ReaderLeft } from '../../outputs/files/reader-left.ts'
import { streamSink } from '../../outputs/files/sink.ts'
import type { Command, JsonFlags } from '../cli/context.ts'
import { withMirrorReadOnly } from '../open-mirror.ts'
import { writeJson } from '../output/format/json.ts'
import { formatBytes, formatCount, formatNumber } from '../../common/text/number.ts'
import { listTable, right } from '../output/format/table.ts'
import { shorten } from '../../common/text/fit-text.ts'
import { formatInstant } from '../output/format/timestamp.ts'
import { openProgressLine } from '../terminal/progress.ts'
import type { Output } from '../terminal/terminal.ts'

type ExportFlags = JsonFlags & {
  readonly out: string
  readonly format: ExportFormat
  readonly view?: readonly string[]
  readonly event?: string
  readonly withoutPersonal?: true
  readonly safeCsv?: true
  readonly quiet?: true
}

/** Writes tables and views to files, for spreadsheets and for programs that read files. */
export const exportCommand: Command<ExportFlags> = async (context) => {
  const { flags, terminal, signal } = context
  const { format, view: views, event = null, withoutPersonal = false, safeCsv = false } = flags
  if (safeCsv && format !== 'csv')
    throw new UsageError(`export: --safe-csv is for csv: the format is ${format}`)
  const selectionOf = (account: string | null) => ({
    format,
    views,
    event,
    account,
    withoutPersonal,
    safeCsv,
  })
  if (flags.out === '-') {
    refuseOnStdout(flags, terminal.out)
    try {
      await withMirrorReadOnly(context, (database, { account }) =>
        exportToSink(database, streamSink(terminal.out.stream), selectionOf(account), { signal }),
      )
    } catch (error) {
      if (!(error instanceof ReaderLeft)) throw error
    }
    return 0
  }
  // A signal that comes later finds the export complete.
  using beforePublish = followAbort(signal)
  const untilPublish = { ...context, signal: beforePublish.signal }
  const manifest = await withMirrorReadOnly(untilPublish, async (database, { account }) => {
    const { err } = terminal
    using display = err.isTerminal ? await openProgressLine<ExportProgress>(err, progressText) : null
    const onProgress = (progress: ExportProgress) => display?.show(progress)
    const onPublish = () => beforePublish[Symbol.dispose]()
    const watch = { signal: beforePublish.signal, onProgress, onPublish }
    return exportToFolder(database, flags.out, selectionOf(account), watch)
  })
  if (flags.json) await writeJson(terminal.out, manifest)
  else if (!flags.quiet) await terminal.out.write(describe(manifest, flags.out, terminal.out))
  return 0
}

/** @throws UsageError for what would be of no use there */
function refuseOnStdout({ json, view = [], format }: ExportFlags, out: Output): void {
  if (json)
    throw new UsageError('export: --out - writes the rows to stdout, and --json the manifest: leave one out')
  if (view.length !== 1) throw new UsageError('export: --out - takes one --view')
  if (out.isTerminal && (format === 'xlsx' || format === 'parquet'))
    throw new UsageError(`export: ${format} is no text for a terminal: redirect the output to a file`)
}

function progressText({ file, bytes, done, total }: ExportProgress, _: number, columns: number): string {
  return shorten(`exporting ${file} (${done + 1} of ${total}), ${formatBytes(bytes)}`, columns)
}

function describe(
  { files, left_out, removed, accounts }: ExportManifest,
  folder: string,
  out: Output,
): string {
  const table = listTable(out, files, [
    ['file', ({ file }) => file],
    [right('rows'), ({ rows }) => formatNumber(rows)],
    [right('size'), ({ bytes }) => formatBytes(bytes)],
  ])
  const cut = files.filter(({ cut_cells }) => cut_cells !== undefined)
  const lines = [
    `${formatCount(files.length, 'file')} in ${folder}, and manifest.json`,
    ...accounts.map(({ account, run, run_status, run_finished_at }) => {
      if (run === null) return `account ${account}: no run has ended yet`
      const outcome = run_status === 'succeeded' ? '' : ` (${run_status})`
      return `account ${account}: as of run ${run}${outcome}, which ended ${formatInstant(run_finished_at)}`
    }),
    ...(left_out.length === 0 ? [] : [`left out, for their rows are of no event: ${left_out.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`removed, for this export does not have them: ${removed.join(', ')}`]),
    ...cut.map(
      ({ file, cut_cells = 0 }) =>
        `${file}: the end of ${formatCount(cut_cells, 'text')} is not in it, for a cell holds 32,767 characters`,
    ),
  ]
  return `${table}${lines.map((line) => `${line}\n`).join('')}`
}
