import type { RunStatus, VerifyReport } from '../index.ts'

/** The exit codes of the command line, as help lists them. Most are those of an error (common/errors.ts). */
export const exitCodes: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'all is mirrored'],
  ['1', 'unexpected, or a digest was not accepted'],
  ['2', 'usage or configuration'],
  ['3', 'key refused'],
  ['4', 'service unreachable'],
  ['5', 'database'],
  ['6', 'partial: some events could not be read'],
  ['7', 'the service broke its contract'],
  ['8', 'read but not applied: deletions held, or items rejected'],
  ['9', 'another run holds the account'],
  ['10', 'verify found a difference'],
  ['130, 143', 'interrupted'],
]

/** The exit code of a run that ended without an error. */
export function exitCodeOfRun(status: RunStatus): number {
  if (status === 'partial') return 6
  return status === 'held' ? 8 : 0
}

/** The exit code of `verify`. */
export const exitCodesOfVerify: Readonly<Record<VerifyReport['status'], number>> = {
  equal: 0,
  partial: 6,
  different: 10,
}

/** The exit code of `status --max-age` for a mirror that is older, and for one whose deletions wait for too long. */
export const exitCodesOfStatus = { tooOld: 6, heldTooLong: 8 } as const
