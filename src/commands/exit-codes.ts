import type { RunStatus, VerifyReport } from '../index.ts'

/** The exit codes of the command line, as help lists them. Most are those of an error (common/errors.ts). */
export const exitCodes: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'all is mirrored'],
  ['1', 'unexpected, an output that could not be written, or a digest that was not accepted'],
  ['2', 'usage or configuration'],
  ['3', 'key refused'],
  ['4', 'service unreachable, or the event list not read in time'],
  ['5', 'database'],
  ['6', 'partial: some events could not be read'],
  ['7', 'the service broke its contract'],
  ['8', 'read but not applied: deletions held, or items rejected'],
  ['9', 'another run holds the account'],
  ['10', 'verify found a difference'],
  ['129, 130, 143', 'interrupted'],
]

/** The exit code of a run that ended without an error. */
export function exitCodeOfRun(status: RunStatus): number {
  if (status === 'partial') return 6
  return status === 'held' ? 8 : 0
}

export const exitCodesOfVerify: Readonly<Record<VerifyReport['status'], number>> = {
  equal: 0,
  partial: 6,
  different: 10,
}

/** The exit code of `status --max-age` for a mirror that is older, and for one whose deletions wait for too long. */
export const exitCodesOfStatus = { tooOld: 6, heldTooLong: 8 } as const

/**
 * Of a command over many accounts, the worst first: an interruption; what only a person can mend (a fault of this program, a key,
 * a setting, the database, the service's contract, a difference); what the next run may mend.
 */
export const worstFirst: readonly number[] = [130, 143, 129, 1, 3, 2, 5, 7, 10, 4, 6, 8, 9, 0]

/** 0 when there is none. */
export function worstExitCode(codes: Iterable<number>): number {
  const failures = [...codes].filter((code) => code !== 0)
  // guard: the worst exit code
  return worstFirst.find((code) => failures.includes(code)) ?? failures[0] ?? 0
}
