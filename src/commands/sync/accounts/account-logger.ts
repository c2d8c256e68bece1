import type { Logger } from '../../../index.ts'

/**
 * The log of one account of many in a command that ends. In prose only warnings and errors are told, for the progress of many runs would
 * drown them, and each begins with the account.
 */
export function accountLogger(logger: Logger, account: string, isProse: boolean): Logger {
  return loggerOver((level, fields, message) => {
    if (isProse) logger[level === 'info' ? 'debug' : level](fields, `account ${account}: ${message}`)
    else logger[level]({ account, ...fields }, message)
  })
}

/** The same in a worker: each line names the account. */
export function accountWorkerLogger(logger: Logger, account: string): Logger {
  return loggerOver((level, fields, message) =>
    logger[level]({ account, ...fields }, `account ${account}: ${message}`),
  )
}

function loggerOver(write: (level: keyof Logger, fields: object, message: string) => void): Logger {
  const at =
    (level: keyof Logger): Logger['info'] =>
    (fields, message) =>
      write(level, fields, message)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
