/** How a run reads the service, and when the worker starts one: what may differ from account to account. */
import type { SettingsReader } from './reading.ts'
import { settings } from './settings.ts'

export type RunConfig = Awaited<ReturnType<typeof readRun>>
export type WorkerConfig = Awaited<ReturnType<typeof readWorker>>

export async function readRun(reading: SettingsReader) {
  return Object.freeze({
    concurrency: await reading.take(settings.concurrency),
    requestTimeoutMs: await reading.take(settings.requestTimeout),
    runTimeoutMs: await reading.take(settings.runTimeout),
    maxBodyBytes: await reading.take(settings.maxBody),
    maxStalenessMs: await reading.take(settings.maxStaleness),
    holdForMs: await reading.take(settings.holdFor),
    /** null: personal data are kept. */
    forgetAfterMs: await reading.take(settings.forgetAfter),
    /** Fields that are never stored. */
    leaveOut: await reading.take(settings.leaveOut),
    /** Fields that are stored as keyed hashes. */
    pseudonymise: await reading.take(settings.pseudonymise),
  })
}

export async function readWorker(reading: SettingsReader) {
  return Object.freeze({
    /** Cron's form. */
    schedule: await reading.take(settings.schedule),
    timezone: await reading.take(settings.timezone),
    healthPort: await reading.take(settings.healthPort),
    /** Where that port is: this machine alone, unless somebody asks for more. */
    healthHost: await reading.take(settings.healthHost),
    /** Keeps a PGlite folder open between two runs. */
    keepOpen: await reading.take(settings.keepOpen),
    /** Shares the accounts with the workers of other machines. */
    queue: await reading.take(settings.queue),
    /** The most runs at once of one service host, over all workers of the queue. */
    runsPerHost: await reading.take(settings.runsPerHost),
  })
}
