import { connect } from '../../db/connect.ts'
import { requireSchema } from '../../db/migrate.ts'
import { createRedactor } from '../../common/redact.ts'
import { findReadable, requireName } from '../open/find-account.ts'
import type { Reading } from '../fetch/fetch-events.ts'
import { logTo, openSource, sentAgain } from '../open/open-source.ts'
import type { OpenRun } from '../open/run-context.ts'
import type { Progress, Settings } from '../options.ts'
import { Findings } from './report.ts'

/** What `verify` works with: the way to the service and a mirror that it only reads. */
export interface Verification
  extends
    AsyncDisposable,
    Omit<Reading, 'tally'>,
    Pick<OpenRun, 'startedMs' | 'database' | 'account' | 'signal' | 'stop'> {
  readonly found: Findings
  readonly tally: Findings['tally']
}

/** An account that the mirror does not have has no rows: no account has this number. */
const NO_ACCOUNT = 0

/**
 * Opens the mirror as it is and prepares the source. Nothing is made, migrated or held.
 *
 * @throws SchemaVersionError when the schema is not this program's; DatabaseError.
 */
export async function openVerification(settings: Settings): Promise<Verification> {
  const startedMs = performance.now()
  settings.signal?.throwIfAborted()
  await using opened = new AsyncDisposableStack()
  const stopping = new AbortController()
  const signal = settings.signal ? AbortSignal.any([stopping.signal, settings.signal]) : stopping.signal
  let phase: Progress['phase'] = 'events'
  const source = openSource(settings, signal, () => progress(phase))
  opened.defer(() => source.close())
  const database = opened.use(
    await connect(settings.target, { createFolder: false, log: logTo(settings.logger) }),
  )
  await requireSchema(database)
  await requireName(database.kysely, settings, 'Nothing was compared.')
  const id = await findReadable(database.kysely, settings.account)
  const found = new Findings()
  const { tally } = found
  const progress = (now: Progress['phase']): void => {
    phase = now
    settings.onProgress({
      phase,
      events: { done: tally.done, total: tally.due, skipped: 0 },
      responses: tally.responsesRead,
      changedRows: found.total,
      retries: sentAgain(source),
      slowdown: source.slowdown,
      bytes: source.counts.bytesReceived,
    })
  }
  const resources = opened.move()
  return {
    startedMs,
    settings,
    database,
    source,
    account: { id: id ?? NO_ACCOUNT, name: settings.account },
    states: new Map(),
    signal,
    stop: (cause) => stopping.abort(cause),
    conceal: createRedactor(settings.apiKey).text,
    found,
    tally,
    progress,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
