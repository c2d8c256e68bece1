import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { Delivery } from '../../outputs/notify/deliver.ts'
import { formatInstant } from './format/timestamp.ts'

const words = {
  accepted: 'accepted',
  failed: 'not accepted',
  nothing_new: 'nothing new, nothing sent',
  no_run: 'nothing sent, no run has ended yet',
  busy: 'another process is sending it',
  waiting: 'not tried again yet',
} as const satisfies Readonly<Record<Delivery['state'], string>>

/** One line. */
export function describeDelivery({ account, recipient, state, error, next_attempt_at }: Delivery): string {
  const why = error === null ? '' : `: ${error}`
  const next =
    next_attempt_at === null
      ? ''
      : ` (the next call tries again; worker and serve --sync do so at ${formatInstant(next_attempt_at)}, where they know this recipient)`
  return stripControlCharsInLine(`Digest of account ${account} to ${recipient}: ${words[state]}${why}${next}`)
}
