/** What becomes of a job, by how its run ended. Pure. */
import { accountFlag, commandName } from '../../../common/command-name.ts'
import { HeadcountError } from '../../../common/errors.ts'

export type JobOutcome =
  | { readonly is: 'done' }
  /** It is no failure: the job is there again, and counts no try. */
  | {
      readonly is: 'returned'
      readonly code: string
      readonly afterS: number
      readonly unknownSince?: string | undefined
    }
  /** Tried again, each time later, until it has been tried often enough. */
  | { readonly is: 'retried'; readonly code: string }
  /** No later try mends it: a person must look. */
  | { readonly is: 'dead'; readonly code: string }

export const done: JobOutcome = { is: 'done' }

/** Another run has the account: as long as a dead one keeps its lease. */
const BUSY_RETRY_S = 30

/** Of errors that are of other kinds: nothing that time mends. */
const permanentCodes: ReadonlySet<string> = new Set(['key_refused', 'certificate'])

/** Usage errors all the same: of an account that another machine may know, or will when its file is there. */
export const UNKNOWN_HERE = 'not_configured'

/** @param isStopping whether this process was told to stop */
export function outcomeOfError(error: unknown, isStopping: boolean): JobOutcome {
  if (!(error instanceof HeadcountError)) return { is: 'retried', code: 'unexpected' }
  const { code, exitCode } = error
  // guard: another run is no failure
  if (exitCode === 9) return { is: 'returned', code, afterS: BUSY_RETRY_S }
  if (code === 'interrupted' && isStopping) return { is: 'returned', code, afterS: 0 }
  // guard: dead at once
  if (exitCode === 2 || permanentCodes.has(code)) return { is: 'dead', code }
  return { is: 'retried', code }
}

/** Of an account that no file has any more, the job must end. */
const MAX_UNKNOWN_S = 3600

/**
 * Of an account that this process does not have. Another one may: it takes the job as soon as it looks for such (`handed-back.ts`).
 * When none did, the next try ends it.
 *
 * @param since when the job was handed back first because of that; undefined: it was not yet
 */
export function outcomeOfUnknown(since: string | undefined, now: Date): JobOutcome {
  const first = since ?? now.toISOString()
  const ageS = Math.max(0, Math.round((now.getTime() - Date.parse(first)) / 1000))
  const afterS = MAX_UNKNOWN_S - ageS
  // guard: jobs of others
  if (ageS < MAX_UNKNOWN_S) return { is: 'returned', code: UNKNOWN_HERE, afterS, unknownSince: first }
  return { is: 'dead', code: UNKNOWN_HERE }
}

/** Why a job failed, for people. */
export function reasonOf(account: string, code: string): string {
  return (
    reasons(accountFlag(account))[code] ??
    `it ended with ${code}; ${commandName()} runs and the log have the message`
  )
}

/** At the time of the call, for the name of the command is not known before. */
const reasons = (forAccount: string): Readonly<Record<string, string>> => ({
  key_refused: 'the service refused the key: renew it',
  account_mismatch: `the key is for another account than the mirror holds: ${commandName()} doctor${forAccount} says which`,
  configuration: `a setting cannot be used: ${commandName()} doctor says which`,
  usage: `the address of the service or a setting is wrong: ${commandName()} doctor says which`,
  unknown_account: `the mirror has no account of this name: ${commandName()} sync --new-account${forAccount} makes it`,
  removed_account: 'the account was removed from the mirror',
  moved_mirror: 'the mirror was moved to another database',
  certificate: 'the certificate of the service cannot be trusted',
  schema_version: `the schema of the mirror is older or newer than the worker: ${commandName()} doctor says which`,
  unreachable: 'the service could not be reached',
  paused_by_service: 'the service asked for a longer pause',
  outage: 'the service went away during the run',
  run_deadline: 'the run took longer than --run-timeout',
  contract: 'the service broke its contract',
  database: 'the database could not be used',
  conflict: 'another transaction was in the way',
  account_busy: 'another run holds the account',
  lease_lost: 'another run took over the account',
  interrupted: 'the worker was stopped',
  worker_lost: 'the worker died, or could not be heard for 30 s',
  unexpected: 'it failed unexpectedly: see the log',
  [UNKNOWN_HERE]: 'no worker that took it has this account in its settings: another one that has it takes it',
})
