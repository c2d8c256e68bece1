import { readConfig, type Flags } from '../../config/config.ts'
import type { TransferProgress } from '../../index.ts'
import { moveMirror } from '../../outputs/transfer/library-api.ts'
import type { Command } from '../cli/context.ts'
import { openLog, redactPassword } from '../open-log.ts'
import { writeJson } from '../output/format/json.ts'
import { formatMove, transferLine } from '../output/transfer.ts'
import { openProgressLine } from '../terminal/progress.ts'

type MoveFlags = Flags & {
  readonly to: string
  readonly force?: true
  readonly json?: true
  readonly quiet?: true
}

/** Copies the mirror into an empty database. A signal ends it between two parts, and leaves nothing there. */
export const move: Command<MoveFlags> = async ({ flags, terminal, signal }) => {
  const config = await readConfig(flags)
  redactPassword(flags.to, terminal)
  const log = await openLog(config, terminal)
  const report = await (async () => {
    const { err } = terminal
    using display = err.isTerminal && !flags.quiet ? await openProgressLine(err, transferLine) : null
    return await moveMirror({
      database: config.database.target,
      to: flags.to,
      force: flags.force ?? false,
      signal,
      ...log,
      onProgress: (progress: TransferProgress) => display?.show(progress),
    })
  })()
  if (flags.json) await writeJson(terminal.out, report)
  else if (!flags.quiet) await terminal.out.write(formatMove(report, terminal.out))
  return 0
}
