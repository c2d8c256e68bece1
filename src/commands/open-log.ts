/** What every command does with its settings before it works: keep secrets out of sight, and open its log. */
import type { Config, ServiceConfig } from '../config/config.ts'
import { renameOptions, withOptionNames, type OptionNames } from '../common/options/option-names.ts'
import type { OnFolderInUse } from '../db/connect.ts'
import { parsePostgresUrl } from '../db/postgres/connection-url.ts'
import type { Logger } from '../index.ts'
import { percentDecoded, secretsOf, type Recipient } from '../outputs/notify/recipient.ts'
import { showFolderWait } from './terminal/data-dir-wait.ts'
import { createLogger } from './terminal/logger.ts'
import type { Terminal } from './terminal/terminal.ts'

export interface Log {
  readonly logger: Logger
  readonly onFolderInUse: OnFolderInUse
}

/** @param write where lines go, when not straight to stderr */
export async function openLog(
  config: Config | ServiceConfig,
  terminal: Terminal,
  write?: (text: string) => void,
): Promise<Log> {
  redactSecrets(config, terminal)
  if ('service' in config) renameOptions(namesOf(config))
  const logger = await createLogger(config, terminal.err, write)
  const { target, isDefault } = config.database
  // Without a named database, the folder decides: the log says which database is used.
  if (isDefault) {
    logger.info({}, `using ${target} in this folder; DATABASE_URL or --database name another database`)
  }
  return { logger, onFolderInUse: showFolderWait(config, terminal.err, (line) => logger.info({}, line)) }
}

/** The last safeguard: no message of this program contains a secret, and one that came from a library is redacted. */
export function redactSecrets(config: Config | ServiceConfig, terminal: Terminal): void {
  if ('service' in config) {
    terminal.redact(config.service.apiKey)
    const password = config.service.proxy?.password ?? ''
    for (const spelling of [password, decodeURIComponent(password)]) terminal.redact(spelling)
  }
  redactPassword(config.database.target, terminal)
  const { mail, digestTo, notifyTo } = config.notify
  for (const recipient of [...digestTo, ...notifyTo]) redactRecipient(recipient, terminal)
  terminal.redact(mail?.server.login?.password ?? '')
  terminal.redact(encodeURIComponent(mail?.server.login?.password ?? ''))
}

/** Does something for an account: messages name the source of its key. */
export function withNamesOf<T>(config: Pick<ServiceConfig, 'service'>, work: () => T): T {
  return withOptionNames(namesOf(config), work)
}

/** Messages may name the source of a secret, never the secret. */
function namesOf({ service }: Pick<ServiceConfig, 'service'>): OptionNames {
  return {
    apiKey: service.apiKeyFrom,
    ...(service.baseUrl.protocol === 'http:' && { proxy: 'HTTP_PROXY' }),
  }
}

/** A web address is a secret: whoever has it can write there. */
export function redactRecipient(recipient: Recipient, terminal: Terminal): void {
  // What a server answered was redacted where it was read. Here a part that is a word, as "digest", would be taken out of every message.
  for (const secret of secretsOf(recipient)) if (!/^[a-z]+$/.test(secret)) terminal.redact(secret)
}

/** For a process that runs for long: after a change of the password in `DATABASE_URL_FILE` it goes on. */
export function databaseOf(
  { database: { target, reread } }: Pick<Config, 'database'>,
  terminal: Terminal,
): { readonly database: string; readonly currentUrl?: () => string } {
  if (reread === undefined) return { database: target }
  const currentUrl = () => {
    const current = reread()
    redactPassword(current, terminal)
    return current
  }
  return { database: target, currentUrl }
}

/** Of the address of a database. */
export function redactPassword(target: string, terminal: Terminal): void {
  const url = parsePostgresUrl(target)
  if (url === null) return
  const ofQuery = url.searchParams.get('password') ?? ''
  for (const password of [url.password, percentDecoded(url.password), ofQuery, encodeURIComponent(ofQuery)]) {
    // Messages name the user.
    if (![url.username, percentDecoded(url.username)].includes(password)) terminal.redact(password)
  }
}
