import type { Logger } from '../../../index.ts'

/**
 * The log of one account of many. In prose only warnings and errors are told, for the progress of many runs would drown them,
 * and each begins with the account.
 */
export function accountLogger(logger: Logger, account: string, isProse: boolean): Logger {
  const told =
    (level: 'warn' | 'error' | 'info' | 'debug'): Logger['info'] =>
    (fields, message) =>
      isProse
        ? logger[level](fields, `account ${account}: ${message}`)
        : logger[level]({ account, ...fields }, message)
  return {
    debug: told('debug'),
    info: isProse ? told('debug') : told('info'),
    warn: told('warn'),
    error: told('error'),
  }
}
