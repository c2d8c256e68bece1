import { setImmediate } from 'node:timers/promises'
import { vi } from 'vitest'
import type { RunOutcome } from '../../../src/orchestration/schedule/run-guard.ts'
import { runWorker, type WorkerOptions } from '../../../src/orchestration/schedule/worker.ts'

/** A worker on a clock that the test moves; its runs are told apart by when they began. */
export interface Working {
  /** When each run began, in ISO 8601. */
  readonly began: readonly string[]
  readonly log: readonly { readonly level: string; readonly message: string; readonly fields: object }[]
  /** Settled when the worker has ended. */
  readonly ended: Promise<void>
  stop(): void
}

export interface WorkingOptions extends Partial<Pick<WorkerOptions, 'schedule' | 'timeZone'>> {
  /** Null: health is not answered. */
  readonly healthPort?: number | null
  /** What a run does; it succeeds at once when nothing is said. */
  readonly run?: (number: number, sign: () => void) => Promise<RunOutcome>
}

export const goodRun: RunOutcome = { outcome: 'succeeded', isGood: true, end: 'complete', holds: [] }

export function startWorking(options: WorkingOptions = {}): Working {
  const { schedule = '*/15 * * * *', timeZone = 'UTC', healthPort = null } = options
  const run = options.run ?? (async () => goodRun)
  const began: string[] = []
  const log: { level: string; message: string; fields: object }[] = []
  const stopping = new AbortController()
  const ended = runWorker({
    schedule,
    timeZone,
    health: healthPort === null ? null : { host: '127.0.0.1', port: healthPort },
    signal: stopping.signal,
    log: (level, message, fields = {}) => log.push({ level, message, fields }),
    run: (sign) => run(began.push(new Date().toISOString()), sign),
  })
  // Whoever looks at how it ended does so later.
  ended.catch(() => {})
  return { began, log, ended, stop: () => stopping.abort() }
}

/** Lets time pass, awake: timers ring. */
export async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds)
  await setImmediate()
}

/** The machine sleeps: the wall clock goes on, timers and the steady clock stand still. */
export function sleepOver(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds)
}

/** The process is too busy to look at its timers: both clocks go on, and timers ring late by so much. */
export function keepBusy(milliseconds: number): void {
  const steady = performance.now.bind(performance)
  vi.setSystemTime(Date.now() + milliseconds)
  vi.spyOn(performance, 'now').mockImplementation(() => steady() + milliseconds)
}

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour
