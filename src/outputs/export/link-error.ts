/** Why a link shows nothing although its address is right. */
export class LinkError extends Error {
  override readonly name = 'LinkError'
  readonly reason: 'view_removed' | 'too_large' | 'too_slow'

  constructor(reason: LinkError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
