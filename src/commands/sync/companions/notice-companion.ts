/** Notices beside the runs of `worker` and `serve --sync`: the operator hears when the mirror's state changes. */
import { MirrorNotFoundError, UsageError } from '../../../common/errors.ts'
import type { Logger } from '../../../index.ts'
import {
  deliverNotices,
  type Notice,
  type NoticeDelivery,
} from '../../../outputs/notify/notices/deliver-notices.ts'
import type { Companion } from '../../../orchestration/schedule/worker.ts'
import type { CompanionOptions } from './companions.ts'

/** It looks by the clock and not at the ends of runs: a run that hangs has none. */
const CHECK_MS = 5000

const PAUSE_MS = 60_000

export function noticeCompanion({ call, config, logger }: CompanionOptions): Companion {
  const options = { account: config.account, recipients: config.notify.notifyTo, mail: config.notify.mail }
  return ({ condition, signal }) => {
    const stop = new AbortController()
    const ending = AbortSignal.any([signal, stop.signal])
    /** The state that was told last, or was to be, and until when nobody needs to ask the database again. */
    let last: { readonly notice: Notice; readonly until: number } | null = null
    let checking: Promise<void> | null = null
    const tell = async (notice: Notice, until: AbortSignal) => {
      try {
        const told = await deliverNotices(call, options, notice, until)
        for (const delivery of told) logNotice(logger, notice, delivery)
        last = { notice, until: nextCheck(told) }
      } catch (error) {
        // Where there is no account yet there is nobody's mirror to tell of.
        const isEarly = error instanceof MirrorNotFoundError || error instanceof UsageError
        if (!isEarly && !until.aborted)
          logger.error({ err: error }, 'a notice could not be made; it is tried again')
      }
    }
    const check = (until: AbortSignal) => {
      const found = condition()
      if (found === null || (isSame(found, last?.notice) && Date.now() < (last?.until ?? 0))) return checking
      checking ??= tell(found, until).finally(() => {
        checking = null
      })
      return checking
    }
    const timer = setInterval(() => void check(ending), CHECK_MS)
    return {
      [Symbol.asyncDispose]: async () => {
        clearInterval(timer)
        // A worker that ends by itself, for a key that is refused, tells so before it ends.
        if (!signal.aborted) {
          await checking
          await check(signal)
        }
        stop.abort(new Error('the worker ends'))
        await checking
      },
    }
  }
}

function isSame(found: Notice, last: Notice | undefined): boolean {
  return found.state === last?.state && found.cause === last.cause
}

/** Infinity when every recipient knows. */
function nextCheck(told: readonly NoticeDelivery[]): number {
  const open = told.filter(({ state }) => state !== 'accepted' && state !== 'known')
  const times = open.map(({ next_attempt_at: at }) => (at === null ? Date.now() + PAUSE_MS : Date.parse(at)))
  return Math.min(Infinity, ...times)
}

export function logNotice(
  logger: Logger,
  { state }: Notice,
  { recipient, state: became, error }: NoticeDelivery,
): void {
  if (became === 'accepted') logger.info({ recipient, state }, `notice to ${recipient}: accepted (${state})`)
  if (became === 'failed')
    logger.warn({ recipient, state, error }, `notice to ${recipient}: not accepted (${state}): ${error}`)
}
