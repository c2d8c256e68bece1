import { readConfig, type Flags } from '../config.ts'
import type { Command } from './context.ts'
import { showFolderWait } from './folder-wait.ts'
import { unlessInterrupted } from './interruption.ts'
import { createLogger } from './logger.ts'
import { noteDefaultDatabase } from './mirror.ts'
import { writeJson } from './print/json.ts'
import { concealSecrets } from './secrets.ts'

type MigrateFlags = Flags & { readonly json?: true; readonly quiet?: true }

export const migrate: Command<MigrateFlags> = async ({ flags, terminal, signal }) => {
  const config = await readConfig(flags)
  concealSecrets(config, terminal)
  const logger = await createLogger(config, terminal.err)
  noteDefaultDatabase(config, logger)
  const library = await import('../index.ts')
  const applied = await unlessInterrupted(
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
