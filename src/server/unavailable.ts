/** Nothing can be answered now; the same request may be answered later. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'
  readonly code: 'not_ready' | 'not_mirrored' | 'too_old' | 'held' | 'too_many_requests'
  /** After so many seconds it makes sense to ask again. */
  readonly retryAfter: number

  constructor(code: UnavailableError['code'], message: string, retryAfter: number, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.retryAfter = retryAfter
  }
}
