/** Writes tables and views to files, all of one moment. */
import { UsageError } from '../../common/errors.ts'
import type { Database } from '../../db/connect.ts'
import type { Transaction } from '../../db/transaction.ts'
import { requireEventOf } from '../../mirror/answers/event-rows.ts'
import { ofReadAccount, visibleAccountId } from '../../mirror/answers/read-view.ts'
import { counted, type Sink } from '../files/sink.ts'
import { openExportFolder } from './folder.ts'
import { MANIFEST } from './former-files.ts'
import { loadFormat } from './formats/load-format.ts'
import type { ExportFormat, Format, Written } from './formats/format.ts'
import { readMoment, type ExportedFile, type ExportManifest } from './manifest.ts'
import {
  chooseViews,
  requireReadable,
  viewQuery,
  type ChosenView,
  type RowFilter,
  type ViewQuery,
} from './select-views.ts'

export interface ExportSelection {
  readonly format: ExportFormat
  /** Names of tables and views; the default ones when there is none. */
  readonly views?: readonly string[] | undefined
  /** Rows of this event alone. */
  readonly event?: string | null
  /** Rows of this account alone. */
  readonly account?: string | null
  /** Without names, addresses and messages. */
  readonly withoutPersonal?: boolean
  /** CSV: with a ' before text that a spreadsheet would run as a formula. */
  readonly safeCsv?: boolean
}

/** How far an export is. */
export interface ExportProgress {
  readonly file: string
  /** Of the file so far. */
  readonly bytes: number
  /** Files that are whole. */
  readonly done: number
  readonly total: number
}

export interface ExportWatch {
  readonly signal: AbortSignal
  readonly onProgress?: (progress: ExportProgress) => void
  /** Called when all files are whole. From then on the export is completed, whatever the signal says. */
  readonly onPublish?: () => void
}

/**
 * Writes each table and view to a file of the folder, and `manifest.json` beside them. When all are whole they take the place of a
 * former export, and files that this one does not have are removed.
 *
 * @throws UsageError for an unknown view, account or event, and for a folder with other files; OutputError, also when another export
 * writes to the folder; DatabaseError
 */
export async function exportToFolder(
  database: Database,
  path: string,
  selection: ExportSelection,
  { signal, onProgress, onPublish }: ExportWatch,
): Promise<ExportManifest> {
  const { format, views, withoutPersonal = false } = selection
  const chosen = chooseViews(views, withoutPersonal)
  const fileOf = (name: string) => `${name}.${format}`
  const names = [...chosen.map(({ name }) => fileOf(name)), MANIFEST]
  await using folder = await openExportFolder(path, names, { isPersonal: !withoutPersonal, signal })
  const manifest = await inSnapshot(database, selection, chosen, async ({ trx, found, write }) => {
    const files: ExportedFile[] = []
    for (const [done, view] of found.entries()) {
      const file = fileOf(view.name)
      const onBytes = (bytes: number) => {
        signal.throwIfAborted()
        onProgress?.({ file, bytes, done, total: found.length })
      }
      onBytes(0)
      files.push(
        await folder.write(file, async (sink) => {
          const content = counted(sink, onBytes)
          const { rows, cut_cells } = await write(view, content)
          const cut = cut_cells === undefined || cut_cells === 0 ? {} : { cut_cells }
          return { file, view: view.name, rows, bytes: content.bytes(), sha256: content.sha256(), ...cut }
        }),
      )
    }
    const left_out = chosen.filter(({ name }) => !found.some((view) => view.name === name))
    return {
      ...(await readMoment(trx, selection.account ?? null)),
      format,
      with_personal: !withoutPersonal,
      account: selection.account ?? null,
      event: selection.event ?? null,
      files,
      left_out: left_out.map(({ name }) => name),
      removed: folder.obsolete(),
    }
  })
  await folder.write(MANIFEST, (sink) => sink.write(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)))
  onPublish?.()
  await folder.publish(manifest.files)
  return manifest
}

/**
 * Writes one table or view, as one file would be.
 *
 * @throws UsageError as `exportToFolder`, and for several views; DatabaseError; what the sink throws
 */
export async function exportToSink(
  database: Database,
  sink: Sink,
  selection: ExportSelection,
  { signal }: ExportWatch,
): Promise<Written> {
  const [view, ...others] = chooseViews(selection.views ?? [], selection.withoutPersonal ?? false)
  if (view === undefined || others.length > 0) throw new UsageError('export: --out - takes one --view')
  const content = counted(sink, () => signal.throwIfAborted())
  return inSnapshot(database, selection, [view], async ({ found: [found], write }) =>
    found === undefined ? { rows: 0 } : write(found, content),
  )
}

type FoundView = ChosenView & ViewQuery

/** What all files of an export are read from. */
interface Snapshot {
  readonly trx: Transaction
  /** Those of the chosen views that have rows of the wanted kind, one or more. */
  readonly found: readonly FoundView[]
  readonly write: (view: FoundView, sink: Sink) => Promise<Written>
}

/** @throws UsageError when none of the chosen views has rows of the wanted kind */
async function inSnapshot<T>(
  database: Database,
  selection: ExportSelection,
  chosen: readonly ChosenView[],
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const { account = null, event = null, safeCsv = false } = selection
  const format: Format = await loadFormat(selection.format, safeCsv)
  return ofReadAccount(
    database,
    account,
    async (trx) => {
      const filter: RowFilter = {
        accountId: account === null ? null : await visibleAccountId(trx, account),
        event,
      }
      const relations = chosen.map(({ relation }) => relation)
      await requireReadable(trx, relations, selection.format)
      if (event !== null) await requireEventOf(relations, trx, event, account)
      const found: FoundView[] = []
      for (const view of chosen) {
        const query = await viewQuery(trx, view, filter, format)
        if (query !== null) found.push({ ...view, ...query })
      }
      if (found.length === 0)
        throw new UsageError(
          `export: ${chosen.map(({ name }) => name).join(', ')} has no rows of one event: leave --event out`,
        )
      return work({ trx, found, write: (view, sink) => format.write({ trx, ...view }, sink) })
    },
    { statementTimeoutMs: 0 },
  )
}
