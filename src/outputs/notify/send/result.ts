import { toError } from '../../../common/abort.ts'
import { createRedactor } from '../../../common/redact.ts'

/** A server that has a whole mail may scan it before it answers. Shorter than a claim. */
export const MAX_ANSWER_MS = 300_000

/** What became of a message at one recipient. */
export type SendResult = { readonly isAccepted: true } | SendFailure

export interface SendFailure {
  readonly isAccepted: false
  /** One line, without secrets. */
  readonly error: string
  /** The server will refuse the same message again. */
  readonly isPermanent: boolean
  /** Nobody knows whether the server took it. */
  readonly mayBeAccepted: boolean
  /** What the server asks for, in ms; null: nothing. */
  readonly retryAfterMs: number | null
}

/** A message that failed; @param known what is known of it besides */
export function sendFailure(
  error: string,
  known: Partial<Pick<SendFailure, 'isPermanent' | 'mayBeAccepted' | 'retryAfterMs'>> = {},
): SendFailure {
  return { isAccepted: false, error, isPermanent: false, mayBeAccepted: false, retryAfterMs: null, ...known }
}

/** Why no answer came. @param signal ends a delivery by its deadline */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  return signal.aborted ? 'no answer in time' : toError(error).message
}

/** A line of what went wrong, short and without the secrets. */
export function errorLine(text: string, secrets: readonly string[]): string {
  // guard: secrets in errors of deliveries
  return createRedactor(secrets, '[secret]').excerpt(text)
}
