import { withoutRejections } from '../../common/options/callbacks.ts'
import { checkOptions } from '../../common/options/check-options.ts'
import { cancelReadsOnAbort } from '../../db/cancel/cancel-reads.ts'
import { withMirror, type MirrorOptions } from '../../mirror/library-api/with-mirror.ts'
import { NEVER } from '../../common/abort.ts'
import { oneOf } from '../../common/parse-values.ts'
import { parseOption } from '../../common/options/parse-option.ts'
import { exportToFolder, type ExportProgress, type ExportSelection } from './export-views.ts'
import { exportFormats, type ExportFormat } from './formats/format.ts'
import type { ExportManifest } from './manifest.ts'

export interface ExportOptions extends MirrorOptions, Omit<ExportSelection, 'format'> {
  /** The folder: a new one, an empty one, or one that holds an export. */
  readonly out: string
  /** `csv` when not given. */
  readonly format?: ExportFormat
  /** Its abort ends the export; the folder stays as it was. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ExportProgress) => void
}

/**
 * Writes tables and views to files, all of one moment, and `manifest.json` beside them. When all are whole they take the place of a
 * former export in this folder; files that this one does not have are removed, and named in `removed`.
 *
 * @throws UsageError for an unknown view, account, event or format, and for a folder with other files; OutputError for a full disk,
 * and when another export writes to the folder; InterruptedError when the signal ends it
 */
export async function exportViews(options: ExportOptions): Promise<ExportManifest> {
  checkOptions(options, 'out')
  const { out, format = 'csv', signal = NEVER, onProgress, ...selection } = options
  const known = parseOption('format', () => oneOf(exportFormats)(format))
  const beside = { signal, onProgress: withoutRejections(onProgress) }
  const interrupted = 'The export was interrupted; the folder stays as it was.'
  return withMirror({ ...options, interrupted }, 'read', async (opened) => {
    // Not left at once: its files are removed first.
    await using database = cancelReadsOnAbort(opened, signal)
    return await exportToFolder(database, out, { ...selection, format: known }, beside)
  })
}
