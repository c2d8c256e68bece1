/** Digests on a schedule, beside the runs of `worker` and `serve --sync`. */
import { sleep } from '../../../common/abort.ts'
import { MirrorNotFoundError } from '../../../common/errors.ts'
import type { Config } from '../../../config/config.ts'
import type { Logger } from '../../../index.ts'
import type { Attempts } from '../../../mirror/deliveries/prepare-digests.ts'
import type { Delivery } from '../../../outputs/notify/deliver.ts'
import { deliverDigests } from '../../../outputs/notify/digest/deliver-digests.ts'
import { DEFAULT_DIGEST_NAME } from '../../../outputs/notify/digest/digest-subject.ts'
import { onClockJump } from '../../../orchestration/schedule/clock-jumps.ts'
import { createTicks } from '../../../orchestration/schedule/cron-ticks.ts'
import type { RunsInView } from '../../../orchestration/schedule/scheduled-runs.ts'
import type { Companion } from '../../../orchestration/schedule/worker.ts'
import type { CompanionOptions } from './companions.ts'
import { describeDelivery } from '../../output/deliveries.ts'

/** A run that is due at the same moment begins first. */
const AFTER_TICK_MS = 1000
/** A run that hangs keeps nobody from a digest for longer. */
const MAX_WAIT_FOR_RUN_MS = 600_000
const RETRY_CHECK_MS = 15_000

export interface DigestCompanionOptions extends CompanionOptions {
  readonly schedule: string
}

/** Sends at each tick, and again what was not accepted. What goes wrong here is logged, and touches no run. */
export function digestCompanion({ call, config, logger, schedule }: DigestCompanionOptions): Companion {
  return ({ whenIdle, signal }) => {
    const stop = new AbortController()
    const ending = AbortSignal.any([signal, stop.signal])
    /** What is to be sent, and when at the earliest; at the start what an earlier process could not send. */
    let due: { readonly attempts: Attempts; readonly at: number } | null = { attempts: 'retries', at: 0 }
    let sending: Promise<void> | null = null
    const pass = async (attempts: Attempts, whenIdle: RunsInView['whenIdle']) => {
      try {
        await sleep(AFTER_TICK_MS, ending)
        await Promise.race([whenIdle(MAX_WAIT_FOR_RUN_MS), sleep(MAX_WAIT_FOR_RUN_MS, ending)])
        const sent = await deliverDigests(call, optionsOf(config), attempts, ending)
        for (const delivery of sent) tell(logger, delivery)
        due = nextRetry(sent)
      } catch (error) {
        if (ending.aborted) return
        if (error instanceof MirrorNotFoundError) due = null
        else {
          due = { attempts, at: Date.now() + RETRY_CHECK_MS }
          logger.error({ err: error }, 'digests could not be made; they are tried again')
        }
      }
    }
    const begin = (attempts: Attempts) => {
      sending ??= pass(attempts, whenIdle).finally(() => {
        sending = null
      })
      return sending
    }
    const ticks = createTicks(schedule, config.worker.timezone)
    let next = ticks.next(1)[0]
    const tick = async () => {
      next = ticks.next(1)[0]
      // A pass that goes on tells of runs that ended before the tick.
      await sending
      await begin('due')
    }
    ticks.listen({ tick, missed: () => void tick(), overlapped: () => {} })
    ticks.start()
    logger.info({}, `digests are sent next at ${next?.toISOString()}`)
    // A timer stands still while the machine sleeps, and would ring as much later.
    const endWatch = onClockJump(() => {
      const isMissed = next !== undefined && next.getTime() <= Date.now()
      ticks.start()
      if (isMissed) void tick()
      else next = ticks.next(1)[0]
    })
    const timer = setInterval(() => {
      if (due !== null && Date.now() >= due.at) void begin(due.attempts)
    }, RETRY_CHECK_MS)
    void begin('retries')
    return {
      [Symbol.asyncDispose]: async () => {
        clearInterval(timer)
        endWatch()
        ticks.stop()
        stop.abort(new Error('the worker ends'))
        await sending
      },
    }
  }
}

function optionsOf({ account, run, notify }: Config) {
  return {
    account,
    name: DEFAULT_DIGEST_NAME,
    event: null,
    recipients: notify.digestTo,
    withPersonal: notify.digestWithPersonal,
    always: false,
    mail: notify.mail,
    maxStalenessMs: run.maxStalenessMs,
    holdForMs: run.holdForMs,
  }
}

function nextRetry(sent: readonly Delivery[]) {
  const times = sent.flatMap(({ state, next_attempt_at: at }) => {
    // The claim of a process that died ends by itself.
    if (state === 'busy') return [Date.now() + 60_000]
    return at === null ? [] : [Date.parse(at)]
  })
  return times.length === 0 ? null : { attempts: 'retries' as const, at: Math.min(...times) }
}

function tell(logger: Logger, delivery: Delivery): void {
  const { account, recipient, state, error, next_attempt_at } = delivery
  const level = state === 'failed' ? 'warn' : 'info'
  logger[level](
    { delivery: { account, recipient, state, error, next_attempt_at } },
    describeDelivery(delivery),
  )
}
