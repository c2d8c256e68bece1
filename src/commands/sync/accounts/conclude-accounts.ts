import type { Config } from '../../../config/config.ts'
import type { Logger } from '../../../index.ts'
import type { Output } from '../../terminal/terminal.ts'
import { formatAccounts, headline, type AccountRow } from './accounts-table.ts'

interface End {
  readonly durationMs: number
  readonly config: Pick<Config, 'logFormat' | 'logLevel'>
  readonly logger: Logger
  readonly err: Output
}

/** The table for people, with `--quiet` only when there is something to do; one line where logs are asked for. */
export async function concludeAccounts(
  command: { readonly name: string; readonly changedHeading: string },
  rows: readonly AccountRow[],
  { durationMs, config, logger, err }: End,
): Promise<void> {
  const bad = rows.filter(({ exitCode }) => exitCode !== 0)
  if (config.logFormat === 'json') {
    const fields = { accounts: rows.length, failing: bad.length, duration_ms: Math.round(durationMs) }
    logger[bad.length === 0 ? 'info' : 'warn'](fields, headline(command.name, rows, durationMs))
    return
  }
  const isQuiet = config.logLevel !== 'info' && config.logLevel !== 'debug'
  if (bad.length > 0 || !isQuiet)
    await err.write(formatAccounts({ ...command, onlyBad: isQuiet }, rows, durationMs, err))
}
