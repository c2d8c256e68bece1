import { readConfig, type Flags } from '../../config/config.ts'
import type { TransferProgress } from '../../index.ts'
import { restoreWith } from '../../outputs/transfer/library-api.ts'
import type { Command } from '../cli/context.ts'
import { openLog } from '../open-log.ts'
import { writeJson } from '../output/format/json.ts'
import { formatRestore, transferLine } from '../output/transfer.ts'
import { openProgressLine } from '../terminal/progress.ts'
import { readSuppressionList } from './persons/read-suppression-list.ts'

type RestoreFlags = Flags & {
  readonly suppressions?: readonly string[]
  readonly json?: true
  readonly quiet?: true
}

/** Makes a mirror of a backup. */
export const restore: Command<RestoreFlags> = async ({ flags, operands, terminal, signal }) => {
  const [file = ''] = operands
  const config = await readConfig(flags)
  const log = await openLog(config, terminal)
  const suppressions = await Promise.all((flags.suppressions ?? []).map(readSuppressionList))
  const report = await (async () => {
    const { err } = terminal
    using display = err.isTerminal && !flags.quiet ? await openProgressLine(err, transferLine) : null
    return await restoreWith(suppressions, {
      database: config.database.target,
      file,
      ...(config.personKey !== null && { personKey: config.personKey }),
      signal,
      ...log,
      onProgress: (progress: TransferProgress) => display?.show(progress),
    })
  })()
  if (flags.json) await writeJson(terminal.out, report)
  else if (!flags.quiet) await terminal.out.write(formatRestore(report, terminal.out))
  return 0
}
