import { UsageError } from '../../../common/errors.ts'
import type { ServiceConfig } from '../../../config/config.ts'
import type { Logger } from '../../../index.ts'
import { redactSecrets } from '../../open-log.ts'
import type { Terminal } from '../../terminal/terminal.ts'

/**
 * For the runs of a process that lives long: the settings of its one account, with the keys that the files of these have now. A file
 * that is being written, or is gone, leaves the former keys, and so does an accounts file without the account.
 *
 * @param read reads all settings anew
 */
export function renewedKeys<C extends ServiceConfig>(
  config: C,
  read: () => Promise<ServiceConfig>,
  { terminal, logger }: { readonly terminal: Terminal; readonly logger: Logger },
): () => Promise<C> {
  let newest = config
  return async () => {
    try {
      const now = await read()
      redactSecrets(now, terminal)
      const service = { ...config.service, apiKey: now.service.apiKey }
      // guard: keys that were renewed
      newest = { ...config, service, personKey: now.personKey }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      logger.warn({ err: error }, 'the settings cannot be read again: the run has the former keys')
    }
    return newest
  }
}
