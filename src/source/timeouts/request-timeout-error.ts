/** A request that took too long: the service may be asked for too much at once. */
import { UnreachableError } from '../../common/errors.ts'
import { optionName } from '../../common/option-names.ts'

export class RequestTimeoutError extends UnreachableError {}

/** @param bytes how much of the body came */
export function requestTimeoutError(timeoutMs: number, path: string, bytes: number): RequestTimeoutError {
  return new RequestTimeoutError(
    `GET ${path}: no whole answer within ${timeoutMs / 1000} s (and 1 s more for every 256 KiB of body); ` +
      `${bytes} bytes came. Is the service overloaded? ${optionName('requestTimeoutMs')} allows for more time.`,
  )
}
