import { UsageError } from '../../common/errors.ts'
import { readConfig, type Config, type Flags, type ServiceConfig } from '../../config/config.ts'
import { ownEnvironment, type Environment } from '../../config/secrets.ts'
import { DOCTOR_REQUEST_TIMEOUT, settings } from '../../config/settings.ts'
import type { Database } from '../../db/connect.ts'
import { resultFormat, writeDocument, type ResultFlags } from '../sync/accounts/result-writer.ts'
import { selectAccounts, type SelectedAccounts } from '../sync/accounts/select-accounts.ts'
import type { Command } from '../cli/context.ts'
import { failure, ok, skipped, USAGE, warning, type CheckResult } from './doctor/check.ts'
import { checkDatabase, checkSchema, openDatabase } from './doctor/database-checks.ts'
import * as service from './doctor/service-checks.ts'
import { checkMirror, noMirror, type AskService } from './doctor/mirror-check.ts'
import { checkMail } from './doctor/mail-check.ts'
import { checkQueue } from './doctor/queue-check.ts'
import { recordChecks, type RecordCheck } from './doctor/record-checks.ts'
import { checkSpace } from './doctor/space-check.ts'
import { checkTelemetry } from './doctor/telemetry-check.ts'
import { showFolderWait } from '../terminal/data-dir-wait.ts'
import { resolveOptions } from '../../sync/options.ts'
import { runOptions } from '../sync/run-command.ts'
import { raceAbort } from '../../common/abort.ts'
import { redactSecrets } from '../open-log.ts'
import type { Output } from '../terminal/terminal.ts'

export type DoctorFlags = Flags & ResultFlags

/** Checks what a run needs, from the settings outwards, and writes nothing. */
export const doctor: Command<DoctorFlags> = async (context) => {
  const { flags, terminal, signal } = context
  // What is wrong with the settings is told by the first check.
  const selected = await selectAccounts(flags, withOwnDefaults()).catch((error: unknown) => {
    if (error instanceof UsageError) return error
    throw error
  })
  if ('kind' in selected && selected.kind === 'all') {
    const { doctorOfAccounts } = await import('../sync/accounts/doctor-of-accounts.ts')
    return doctorOfAccounts(context, selected.accounts)
  }
  const format = resultFormat(flags)
  const { checks, record } = recordChecks(format === null ? terminal.out : null)
  const examine = async () => {
    const found = await readSettings(selected, flags)
    await record('configuration', found.finding)
    if (found.config !== null) redactSecrets(found.config, terminal)
    const ping = await examineService(found.service, signal, record)
    let mirror = found.service === null ? noSettings : noMirror
    await examineDatabase(found.config, terminal.err, record, async (database, schema) => {
      const { service: config } = found
      if (config === null || schema.state === 'failed') return
      const ask: AskService = (work) => service.withSource(config, { signal }, work)
      mirror = await checkMirror(database, config, ping, ask)
    })
    await record('mirror', mirror)
    await examineOthers(found.config, signal, record)
    await record(
      'clock',
      ping === null ? skipped('needs an answer of the service') : service.checkClock(ping),
    )
    await record(
      'free space',
      found.config === null ? noSettings : await checkSpace(found.config.database.target),
    )
  }
  await raceAbort(examine(), signal)
  const first = checks.find(({ state }) => state === 'failed')
  if (format !== null) await writeDocument(terminal.out, { ok: first === undefined, checks }, format)
  return first?.exit_code ?? 0
}

/** A default of the environment gives way to what the user sets anywhere. */
function withOwnDefaults(): Environment {
  const { variable } = settings.requestTimeout
  // An empty variable is as one that is not set.
  return { ...ownEnvironment, [variable]: ownEnvironment[variable] || DOCTOR_REQUEST_TIMEOUT }
}

export const noSettings = skipped('needs the settings')

interface Settings {
  readonly finding: CheckResult
  /** Null when the settings of the service cannot be read. */
  readonly service: ServiceConfig | null
  /** Null when not even those of the database can be read. */
  readonly config: Config | null
}

async function readSettings(
  selected: Extract<SelectedAccounts, { kind: 'one' }> | UsageError,
  flags: Flags,
): Promise<Settings> {
  try {
    if (selected instanceof UsageError) throw selected
    const { config } = selected
    resolveOptions(runOptions(config))
    const { href, pathname } = config.service.baseUrl
    const usual = /\/api\/v1\/?$/.test(pathname)
    const detail = usual ? href : `${href} (the specification's base address ends in /api/v1)`
    return { finding: ok(detail), service: config, config }
  } catch (error) {
    const config = await readConfig(flags).catch(() => null)
    return { finding: failure(error, USAGE), service: null, config }
  }
}

async function examineService(
  config: ServiceConfig | null,
  signal: AbortSignal,
  record: RecordCheck,
): Promise<service.PingResponse | null> {
  const name = config === null ? noSettings : await service.checkName(config)
  await record('name', name)
  const isNamed = config !== null && name.state === 'ok'
  const tls = isNamed ? await service.checkTls(config, signal) : skipped('needs the name')
  await record('TLS', tls)
  if (!isNamed || tls.state === 'failed') {
    await record('key', skipped('needs a connection to the service'))
    await record('list', skipped('needs a connection to the service'))
    return null
  }
  return service.withSource(config, { signal }, async (source) => {
    const { finding, answer } = await service.checkKey(source)
    await record('key', finding)
    await record('list', answer === null ? skipped('needs the key') : await service.checkList(source))
    return answer
  })
}

/** Other servers that a run, or what goes on beside it, talks to: each where it is set. */
export async function examineOthers(
  config: Config | null,
  signal: AbortSignal,
  record: RecordCheck,
): Promise<void> {
  if (config?.worker.queue) await record('queue', await checkQueue(config.database.target))
  if (config?.notify.mail) await record('mail', await checkMail(config.notify.mail, signal))
  await checkTelemetry(record, signal)
}

/** @param more checks of a database that can be used */
export async function examineDatabase(
  config: Config | null,
  err: Output,
  record: RecordCheck,
  more: (database: Database, schema: CheckResult) => Promise<void> = async () => {},
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
    await record('database', opened)
    await record(
      'schema',
      skipped(opened.state === 'ok' ? 'none yet: the first run makes it' : 'needs the database'),
    )
    return
  }
  await using database = opened
  const found = await checkDatabase(database)
  const finding =
    found.state === 'ok' && told.length > 0 ? warning([found.detail, ...told].join('. ')) : found
  await record('database', finding)
  const isUsable = found.state !== 'failed'
  const schema = isUsable ? await checkSchema(database) : skipped('needs the database')
  await record('schema', schema)
  if (isUsable) await more(database, schema)
}
