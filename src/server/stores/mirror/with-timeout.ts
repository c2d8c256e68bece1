import { UnavailableError } from '../../unavailable.ts'

/** A database that is being migrated may keep a statement waiting for minutes. */
const TIMEOUT_MS = 5_000

/** @throws UnavailableError when the database does not answer in time */
export async function withTimeout<T>(answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(new UnavailableError('not_ready', 'the mirror does not answer now: try again later', 5))
  }, TIMEOUT_MS)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
