/** What is told beside the runs of a worker; loaded only where it is wanted. */
import type { Config } from '../../../config/config.ts'
import type { Logger } from '../../../index.ts'
import type { Companion } from '../../../orchestration/schedule/worker.ts'
import type { RunCall } from '../../../outputs/notify/deliver.ts'

export interface CompanionOptions {
  readonly call: RunCall
  /** Without an account, of all. */
  readonly config: Config
  readonly logger: Logger
}

export async function digestCompanions(options: CompanionOptions): Promise<readonly Companion[]> {
  const { digestSchedule: schedule } = options.config.notify
  if (schedule === null) return []
  const { digestCompanion } = await import('./digest-companion.ts')
  return [digestCompanion({ ...options, schedule })]
}

export async function noticeCompanions(options: CompanionOptions): Promise<readonly Companion[]> {
  if (options.config.notify.notifyTo.length === 0) return []
  const { noticeCompanion } = await import('./notice-companion.ts')
  return [noticeCompanion(options)]
}
