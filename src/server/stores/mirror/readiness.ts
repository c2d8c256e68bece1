/** Whether the mirror can be asked now. */
import { withinTime } from '../../../common/abort.ts'
import { requireVersion, SCHEMA_VERSION } from '../../../db/migrate.ts'
import { RETRY_SOON_SECONDS, UnavailableError } from '../../problems.ts'

/** During a migration a statement may wait for minutes. */
const TIMEOUT_MS = 5_000

/**
 * The schema may be migrated while this process serves, even beyond the version that it knows.
 *
 * @throws UnavailableError
 */
export function requireServedSchema(version: number): void {
  try {
    requireVersion(version)
  } catch (cause) {
    const detail =
      version > SCHEMA_VERSION
        ? 'the mirror belongs to a newer program: this one must be brought up to date'
        : 'the mirror is being brought up to date: try again later'
    throw new UnavailableError('not_ready', RETRY_SOON_SECONDS, detail, { cause })
  }
}

/** @throws UnavailableError when the database does not answer in time */
export function withTimeout<T>(answer: Promise<T>): Promise<T> {
  return withinTime(answer, TIMEOUT_MS, () => {
    throw new UnavailableError(
      'not_ready',
      RETRY_SOON_SECONDS,
      'the mirror does not answer now: try again later',
    )
  })
}
