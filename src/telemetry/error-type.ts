import { errorCode } from '../common/error-code.ts'

/** The code of an error of ours or of a driver, else the name of its class: never its message. */
export function errorType(error: unknown): string {
  return error instanceof Error ? errorCode(error) || error.name : 'unknown'
}
