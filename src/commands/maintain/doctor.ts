import { UsageError } from '../../common/errors.ts'
import type { Accounts } from '../../config/accounts/read-accounts.ts'
import { readConfig, type Config, type Flags, type ServiceConfig } from '../../config/config.ts'
import type { Database } from '../../db/connect.ts'
import { resultFormat, writeDocument, type ResultFlags } from '../sync/accounts/result-writer.ts'
import { firstOf, selectAccounts } from '../sync/accounts/select-accounts.ts'
import { createSource } from '../../source/api.ts'
import type { Command } from '../cli/context.ts'
import { failure, ok, skipped, warning, type Check, type CheckResult } from './doctor/check.ts'
import { checkDatabase, checkSchema, openDatabase } from './doctor/database-checks.ts'
import * as service from './doctor/service-checks.ts'
import { checkMail } from './doctor/mail-check.ts'
import { checkQueue } from './doctor/queue-check.ts'
import { checkSpace } from './doctor/space-check.ts'
import { showFolderWait } from '../terminal/data-dir-wait.ts'
import { resolveOptions } from '../../sync/options.ts'
import { runOptions } from '../sync/run-command.ts'
import { raceAbort } from '../../common/abort.ts'
import { stripControlChars } from '../../common/strip-control-chars.ts'
import { redactSecrets } from '../open-log.ts'
import { wrapWords } from '../../common/text/fit-text.ts'
import type { Output, Style } from '../terminal/terminal.ts'

export type DoctorFlags = Flags & ResultFlags

/** Checks what a run needs, from the settings outwards, and writes nothing. */
export const doctor: Command<DoctorFlags> = async (context) => {
  const { flags, terminal, signal } = context
  const listed = await listedAccounts(flags)
  if (listed !== null) {
    const { doctorOfAccounts } = await import('../sync/accounts/doctor-of-accounts.ts')
    return doctorOfAccounts(context, listed)
  }
  const format = resultFormat(flags)
  const checks: Check[] = []
  const tell = async (name: string, finding: CheckResult) => {
    checks.push({ name, ...finding })
    if (format === null) await terminal.out.write(formatCheck(name, finding, terminal.out))
  }
  const examine = async () => {
    const settings = await readSettings(flags)
    await tell('configuration', settings.finding)
    if (settings.config !== null) redactSecrets(settings.config, terminal)
    const ping = await examineService(settings.service, signal, tell)
    await examineDatabase(settings.config, terminal.err, tell)
    if (settings.config?.worker.queue) await tell('queue', await checkQueue(settings.config.database.target))
    if (settings.config?.notify.mail) await tell('mail', await checkMail(settings.config.notify.mail, signal))
    await tell('clock', ping === null ? skipped('needs an answer of the service') : service.checkClock(ping))
    await tell(
      'free space',
      settings.config === null ? noSettings : await checkSpace(settings.config.database.target),
    )
  }
  await raceAbort(examine(), signal)
  const first = checks.find(({ state }) => state === 'failed')
  if (format !== null) await writeDocument(terminal.out, { ok: first === undefined, checks }, format)
  return first?.exit_code ?? 0
}

/** All accounts of a file; null when one is meant. A file that cannot be used is told by the first check. */
async function listedAccounts(flags: Flags): Promise<Accounts | null> {
  const selected = await selectAccounts(flags).catch((error: unknown) => {
    if (error instanceof UsageError) return null
    throw error
  })
  return selected?.kind === 'all' ? selected.accounts : null
}

export type Tell = (name: string, finding: CheckResult) => Promise<void>

const noSettings = skipped('needs the settings')

interface Settings {
  readonly finding: CheckResult
  /** Null when the settings of the service cannot be read. */
  readonly service: ServiceConfig | null
  /** Null when not even those of the database can be read. */
  readonly config: Config | null
}

async function readSettings(flags: Flags): Promise<Settings> {
  try {
    const selected = await selectAccounts(flags)
    const config = selected.kind === 'one' ? selected.config : firstOf(selected.accounts)
    resolveOptions(runOptions(config))
    const { href, pathname } = config.service.baseUrl
    const usual = /\/api\/v1\/?$/.test(pathname)
    const detail = usual ? href : `${href} (the specification's base address ends in /api/v1)`
    return { finding: ok(detail), service: config, config }
  } catch (error) {
    const config = await readConfig(flags).catch(() => null)
    return { finding: failure(error, 2), service: null, config }
  }
}

async function examineService(
  config: ServiceConfig | null,
  signal: AbortSignal,
  tell: Tell,
): Promise<service.PingResponse | null> {
  const name = config === null ? noSettings : await service.checkName(config)
  await tell('name', name)
  const isNamed = config !== null && name.state === 'ok'
  const tls = isNamed ? await service.checkTls(config, signal) : skipped('needs the name')
  await tell('TLS', tls)
  if (!isNamed || tls.state === 'failed') {
    await tell('key', skipped('needs a connection to the service'))
    await tell('list', skipped('needs a connection to the service'))
    return null
  }
  const source = createSource({
    baseUrl: config.service.baseUrl,
    apiKey: config.service.apiKey,
    requestTimeoutMs: config.run.requestTimeoutMs,
    maxBodyBytes: config.run.maxBodyBytes,
    signal,
  })
  try {
    const { finding, answer } = await service.checkKey(source)
    await tell('key', finding)
    await tell('list', answer === null ? skipped('needs the key') : await service.checkList(source))
    return answer
  } finally {
    await source.close()
  }
}

/** @param more checks of a database that can be used */
export async function examineDatabase(
  config: Config | null,
  err: Output,
  tell: Tell,
  more: (database: Database) => Promise<void> = async () => {},
): Promise<void> {
  const told: string[] = []
  const opened =
    config === null
      ? noSettings
      : await openDatabase(config.database.target, {
          log: (level, message) => level === 'warn' && told.push(message),
          onFolderInUse: showFolderWait(config, err, (line) => void err.write(`${line}\n`)),
        })
  if ('state' in opened) {
    await tell('database', opened)
    await tell(
      'schema',
      skipped(opened.state === 'ok' ? 'none yet: the first run makes it' : 'needs the database'),
    )
    return
  }
  await using database = opened
  const found = await checkDatabase(database)
  const finding =
    found.state === 'ok' && told.length > 0 ? warning([found.detail, ...told].join('. ')) : found
  await tell('database', finding)
  await tell('schema', found.state === 'ok' ? await checkSchema(database) : skipped('needs the database'))
  if (found.state === 'ok') await more(database)
}

const colours: Readonly<Record<CheckResult['state'], Style>> = {
  ok: 'green',
  warning: 'yellow',
  failed: 'red',
  skipped: 'dim',
}
const NAME_WIDTH = 'configuration'.length

export function formatCheck(name: string, { state, detail }: CheckResult, out: Output): string {
  const hang = NAME_WIDTH + 11
  const lines = stripControlChars(detail)
    .split('\n')
    .map((line) => wrapWords(line, { width: out.width, hang }))
    .join(`\n${' '.repeat(hang)}`)
  return `${out.style(colours[state], state.padEnd(7))}  ${name.padEnd(NAME_WIDTH)}  ${lines}\n`
}
