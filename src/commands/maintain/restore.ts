import { readFile } from 'node:fs/promises'
import { cannotRead } from '../../common/text/cannot-read.ts'
import { readConfig, type Flags } from '../../config/config.ts'
import { UsageError } from '../../common/errors.ts'
import { parsePlain } from '../../common/json/exact.ts'
import type { SuppressionFile, TransferProgress } from '../../index.ts'
import { restoreMirror } from '../../outputs/transfer/library-api.ts'
import type { Command } from '../cli/context.ts'
import { openLog } from '../open-log.ts'
import { writeJson } from '../output/format/json.ts'
import { formatRestore, transferLine } from '../output/transfer.ts'
import { openProgressLine } from '../terminal/progress.ts'

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
  const suppressions = await Promise.all((flags.suppressions ?? []).map(readList))
  const report = await (async () => {
    const { err } = terminal
    using display = err.isTerminal && !flags.quiet ? await openProgressLine(err, transferLine) : null
    return await restoreMirror({
      database: config.database.target,
      file,
      suppressions,
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

/** The library checks what is in it. */
async function readList(path: string): Promise<SuppressionFile> {
  let content: string
  try {
    content = await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`--suppressions: ${cannotRead(path, error)}. Nothing was restored.`, {
      cause: error,
    })
  }
  try {
    return parsePlain(content) as unknown as SuppressionFile
  } catch (error) {
    throw new UsageError(
      `--suppressions: ${JSON.stringify(path)} is no JSON document. Nothing was restored.`,
      { cause: error },
    )
  }
}
