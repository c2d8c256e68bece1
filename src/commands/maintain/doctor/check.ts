import { toError } from '../../../common/abort.ts'
import { HeadcountError } from '../../../common/errors.ts'

/** The exit codes that what is found would give to a run, where no error of ours has its own. */
export const UNEXPECTED = 1
export const USAGE = 2
export const UNREACHABLE = 4
export const DATABASE = 5

/** What one check found. */
export interface CheckResult {
  /** `warning`: it works, but look at it. `skipped`: an earlier line must be mended first, or there is nothing to check. */
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped'
  /** What was found; for `warning` and `failed` with what to do. */
  readonly detail: string
  /** For `failed`: the exit code that the fault would give to a run. */
  readonly exit_code?: number
}

export interface Check extends CheckResult {
  readonly name: string
}

export const ok = (detail: string): CheckResult => ({ state: 'ok', detail })
export const warning = (detail: string): CheckResult => ({ state: 'warning', detail })
export const skipped = (detail: string): CheckResult => ({ state: 'skipped', detail })
export const failed = (exit_code: number, detail: string): CheckResult => ({
  state: 'failed',
  detail,
  exit_code,
})

/** What a check finds, or why it could not be made. @param exitCode as of `failure` */
export async function orFailure(exitCode: number, check: () => Promise<CheckResult>): Promise<CheckResult> {
  try {
    return await check()
  } catch (error) {
    return failure(error, exitCode)
  }
}

/** A failure as a finding; `exitCode` is for errors that are no HeadcountError. */
export function failure(error: unknown, exitCode: number): CheckResult {
  if (error instanceof HeadcountError) return failed(error.exitCode, error.message)
  return failed(exitCode, toError(error).message)
}
