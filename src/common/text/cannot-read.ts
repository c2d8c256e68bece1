import { errorCode } from '../error-code.ts'

/** `cannot read "keys/ada.key" (ENOENT)`: the path, and the code of the system's error. */
export function cannotRead(path: string, error: unknown): string {
  return `cannot read ${JSON.stringify(path)} (${errorCode(error) ?? 'unknown'})`
}
