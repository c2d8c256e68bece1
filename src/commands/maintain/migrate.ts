import { readConfig } from '../../config/config.ts'
import type { Command, JsonFlags } from '../cli/context.ts'
import { raceAbort } from '../../common/abort.ts'
import { openLog } from '../open-log.ts'
import { writeJson } from '../output/format/json.ts'

type MigrateFlags = JsonFlags & { readonly quiet?: true; readonly queue?: true }

export const migrate: Command<MigrateFlags> = async ({ flags, terminal, signal }) => {
  const config = await readConfig(flags)
  const log = await openLog(config, terminal)
  const library = await import('../../index.ts')
  // The signal rolls back what is under way; this also leaves a database that does not answer.
  const applied = await raceAbort(
    library.migrate({ database: config.database.target, signal, ...log }),
    signal,
  )
  if (flags.queue) {
    const { migrateQueue } = await import('../../orchestration/queue/library-api.ts')
    await raceAbort(migrateQueue({ database: config.database.target, signal }), signal)
  }
  if (flags.json) await writeJson(terminal.out, { applied })
  if (!flags.quiet) await terminal.err.write(describe(applied))
  return 0
}

function describe(applied: readonly { readonly number: number; readonly name: string }[]): string {
  if (applied.length === 0) return 'The schema is up to date.\n'
  return applied.map(({ number, name }) => `Applied ${String(number).padStart(4, '0')} ${name}\n`).join('')
}
