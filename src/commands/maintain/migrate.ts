import { readConfig, type Flags } from '../../config/config.ts'
import type { Command } from '../cli/context.ts'
import { showFolderWait } from '../data-dir-wait.ts'
import { raceInterruption } from '../cli/signals.ts'
import { createLogger } from '../terminal/logger.ts'
import { noteDefaultDatabase } from '../open-mirror.ts'
import { writeJson } from '../output/format/json.ts'
import { redactSecrets } from '../cli/secrets.ts'

type MigrateFlags = Flags & { readonly json?: true; readonly quiet?: true }

export const migrate: Command<MigrateFlags> = async ({ flags, terminal, signal }) => {
  const config = await readConfig(flags)
  redactSecrets(config, terminal)
  const logger = await createLogger(config, terminal.err)
  noteDefaultDatabase(config, logger)
  const library = await import('../../index.ts')
  const applied = await raceInterruption(
    library.migrate({
      database: config.database.target,
      onFolderInUse: showFolderWait(config, terminal.err, (line) => logger.info({}, line)),
      logger,
    }),
    signal,
  )
  if (flags.json) await writeJson(terminal.out, { applied })
  if (!flags.quiet) await terminal.err.write(describe(applied))
  return 0
}

function describe(applied: readonly { readonly number: number; readonly name: string }[]): string {
  if (applied.length === 0) return 'The schema is up to date.\n'
  return applied.map(({ number, name }) => `Applied ${String(number).padStart(4, '0')} ${name}\n`).join('')
}
