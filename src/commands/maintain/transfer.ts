/** The commands that move a mirror, write it to a file, and make one of a file. */
import { readConfig, type Config } from '../../config/config.ts'
import { withPsqlPassword } from '../../config/psql-password.ts'
import type { Logger, TransferProgress } from '../../index.ts'
import { backupMirror, moveMirror, restoreWith } from '../../outputs/transfer/library-api.ts'
import type { Command, Context, JsonFlags } from '../cli/context.ts'
import { withFlagsInHints } from '../cli/flags-in-hints.ts'
import { openLog, redactPassword } from '../open-log.ts'
import { writeJson } from '../output/format/json.ts'
import { formatBackup, formatMove, formatRestore, transferLine } from '../output/transfer.ts'
import { openProgressLine } from '../terminal/progress.ts'
import type { Output } from '../terminal/terminal.ts'
import { readSuppressionList } from './persons/read-suppression-list.ts'

type TransferFlags = JsonFlags & { readonly quiet?: true }

type MoveFlags = TransferFlags & { readonly to: string; readonly force?: true }

/** Copies the mirror into an empty database. A signal ends it between two parts, and leaves nothing there. */
export const move: Command<MoveFlags> = async (context) => {
  const { force = false } = context.flags
  const to = await withPsqlPassword(context.flags.to)
  redactPassword(to, context.terminal)
  // What there is to do next is done there.
  const format: typeof formatMove = (report, out) =>
    withFlagsInHints({ ...context.flags, database: context.flags.to }, () => formatMove(report, out))
  return runTransfer(context, (options) => moveMirror({ ...options, to, force }), format)
}

type BackupFlags = TransferFlags & { readonly force?: true }

export const backup: Command<BackupFlags> = (context) => {
  const { operands, flags } = context
  const [file = ''] = operands
  const { force = false } = flags
  return runTransfer(context, (options) => backupMirror({ ...options, file, force }), formatBackup)
}

type RestoreFlags = TransferFlags & { readonly suppressions?: readonly string[] }

export const restore: Command<RestoreFlags> = (context) => {
  const { operands, flags } = context
  const [file = ''] = operands
  const work = async (options: TransferOptions, { personKey }: Config) => {
    const suppressions = await Promise.all((flags.suppressions ?? []).map(readSuppressionList))
    return restoreWith(suppressions, { ...options, file, ...(personKey !== null && { personKey }) })
  }
  return runTransfer(context, work, formatRestore)
}

interface TransferOptions {
  readonly database: string
  readonly signal: AbortSignal
  readonly logger: Logger
  readonly onProgress: (progress: TransferProgress) => void
}

/** Does it with a line of progress on a terminal, and writes its report. */
async function runTransfer<Report extends object>(
  { flags, terminal, signal }: Context<TransferFlags>,
  work: (options: TransferOptions, config: Config) => Promise<Report>,
  format: (report: Report, out: Output) => string,
): Promise<number> {
  const { out, err } = terminal
  const config = await readConfig(flags)
  const log = await openLog(config, terminal)
  const report = await (async () => {
    using display = err.isTerminal && !flags.quiet ? await openProgressLine(err, transferLine) : null
    const onProgress = (progress: TransferProgress) => display?.show(progress)
    return await work({ database: config.database.target, signal, ...log, onProgress }, config)
  })()
  if (flags.json) await writeJson(out, report)
  else if (!flags.quiet) await out.write(format(report, out))
  return 0
}
