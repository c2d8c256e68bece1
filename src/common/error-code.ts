import { HeadcountError } from './errors.ts'

/** The code of an error of the system (`ENOENT`), of a driver or of ours; null when it has none. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** What to say of any thrown value: an error of this program by its message, another one with its name. */
export function describeThrown(error: unknown): string {
  return error instanceof HeadcountError ? error.message : String(error)
}
