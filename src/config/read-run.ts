/** How a run reads the service, and when the worker starts one: what may differ from account to account. */
import type { SettingsReader } from './reading.ts'
import { settings } from './settings.ts'

export interface RunConfig {
  readonly concurrency: number
  readonly requestTimeoutMs: number
  readonly runTimeoutMs: number | null
  readonly maxBodyBytes: number
  readonly maxStalenessMs: number
  readonly holdForMs: number
  /** null: personal data are kept. */
  readonly forgetAfterMs: number | null
  /** Fields that are never stored. */
  readonly leaveOut: readonly string[]
  /** Fields that are stored as keyed hashes. */
  readonly pseudonymise: readonly string[]
}

export interface WorkerConfig {
  /** Cron's form. */
  readonly schedule: string
  readonly timezone: string
  readonly healthPort: number | null
  /** Where that port is: this machine alone, unless somebody asks for more. */
  readonly healthHost: string
  /** Keeps a PGlite folder open between two runs. */
  readonly keepOpen: boolean
  /** Shares the accounts with the workers of other machines. */
  readonly queue: boolean
  /** The most runs at once of one service host, over all workers of the queue. */
  readonly runsPerHost: number
}

export async function readRun(reading: SettingsReader): Promise<RunConfig> {
  return Object.freeze({
    concurrency: await reading.take(settings.concurrency),
    requestTimeoutMs: await reading.take(settings.requestTimeout),
    runTimeoutMs: await reading.take(settings.runTimeout),
    maxBodyBytes: await reading.take(settings.maxBody),
    maxStalenessMs: await reading.take(settings.maxStaleness),
    holdForMs: await reading.take(settings.holdFor),
    forgetAfterMs: await reading.take(settings.forgetAfter),
    leaveOut: await reading.take(settings.leaveOut),
    pseudonymise: await reading.take(settings.pseudonymise),
  })
}

export async function readWorker(reading: SettingsReader): Promise<WorkerConfig> {
  return Object.freeze({
    schedule: await reading.take(settings.schedule),
    timezone: await reading.take(settings.timezone),
    healthPort: await reading.take(settings.healthPort),
    healthHost: await reading.take(settings.healthHost),
    keepOpen: await reading.take(settings.keepOpen),
    queue: await reading.take(settings.queue),
    runsPerHost: await reading.take(settings.runsPerHost),
  })
}
