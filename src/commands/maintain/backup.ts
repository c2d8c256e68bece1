import { readConfig, type Flags } from '../../config/config.ts'
import type { TransferProgress } from '../../index.ts'
import { backupMirror } from '../../outputs/transfer/library-api.ts'
import type { Command } from '../cli/context.ts'
import { openLog } from '../open-log.ts'
import { writeJson } from '../output/format/json.ts'
import { formatBackup, transferLine } from '../output/transfer.ts'
import { openProgressLine } from '../terminal/progress.ts'

type BackupFlags = Flags & { readonly force?: true; readonly json?: true; readonly quiet?: true }

/** Writes the mirror to a file. */
export const backup: Command<BackupFlags> = async ({ flags, operands, terminal, signal }) => {
  const [file = ''] = operands
  const config = await readConfig(flags)
  const log = await openLog(config, terminal)
  const report = await (async () => {
    const { err } = terminal
    using display = err.isTerminal && !flags.quiet ? await openProgressLine(err, transferLine) : null
    return await backupMirror({
      database: config.database.target,
      file,
      force: flags.force ?? false,
      signal,
      ...log,
      onProgress: (progress: TransferProgress) => display?.show(progress),
    })
  })()
  if (flags.json) await writeJson(terminal.out, report)
  else if (!flags.quiet) await terminal.out.write(formatBackup(report, terminal.out))
  return 0
}
