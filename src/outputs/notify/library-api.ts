/** How a program sends digests, as the command does. */
import { checkOptions } from '../../common/options/check-options.ts'
import { interruptible, NEVER } from '../../common/abort.ts'
import { UsageError } from '../../common/errors.ts'
import { sinceOption } from '../../mirror/library-api/answers.ts'
import { statusInput, type StatusOptions } from '../../mirror/library-api/inspect.ts'
import { parseOption } from '../../common/options/parse-option.ts'
import { callMirror } from '../../mirror/library-api/with-mirror.ts'
import type { Delivery, RunCall } from './deliver.ts'
import { deliverDigests, sendDigestsOnce } from './digest/deliver-digests.ts'
import { DEFAULT_DIGEST_NAME } from './digest/digest-subject.ts'
import { parseMailSender, parseMailServer } from './mail-settings.ts'
import { proxyOption } from '../../source/http/proxy.ts'
import { parseRecipients } from './recipient.ts'

export interface SendDigestOptions extends StatusOptions {
  /** `mailto:ada@example.org`, or addresses that begin with https:// (of Slack's incoming webhooks, or of anything that takes JSON). */
  readonly to: string | readonly string[]
  /**
   * `last`, when not given: since the last digest that the recipient accepted. Else as in `digest`; then no recipient's next digest
   * is another one.
   */
  readonly since?: number | Date | string
  /** Of several digests to one recipient: each goes on by itself. */
  readonly name?: string
  /** Only of the event with this id. */
  readonly event?: string
  /** Also when nothing is new. */
  readonly always?: boolean
  /** Names people to web addresses, too; mail names them in any case. */
  readonly withPersonal?: boolean
  /** `smtp://user:password@host:587` (STARTTLS is required, but for this machine) or `smtps://…:465`; for `mailto:`. */
  readonly smtpUrl?: string
  /** Whom mail is from. */
  readonly mailFrom?: string
  /** The HTTP proxy that leads to web addresses, `http://[user:password@]host:port`; none when not given. */
  readonly proxy?: string
  readonly signal?: AbortSignal
}

/**
 * Sends what happened, each recipient a message of its own, one for each account.
 *
 * @returns what became of each message; one that failed is told again by the next call
 * @throws UsageError when an option cannot be used, or the mirror has no such account, event or run
 */
export async function sendDigest(options: SendDigestOptions): Promise<readonly Delivery[]> {
  checkOptions(options, 'to')
  const { since = 'last', name = DEFAULT_DIGEST_NAME, event = null, signal = NEVER } = options
  const to = typeof options.to === 'string' ? options.to : options.to.join(' ')
  const proxy = proxyOption(options.proxy)
  const recipients = parseOption('to', () => parseRecipients(to, () => proxy))
  const mail = mailOption(options)
  if (mail === null && recipients.some(({ kind }) => kind === 'mail'))
    throw new UsageError('The options `smtpUrl` and `mailFrom` are needed to send mail.')
  const interrupted = 'The delivery was interrupted; the next call sends what was not sent.'
  // What was accepted is recorded also when the signal ends the rest.
  const settling = { ...options, signal: NEVER }
  const call: RunCall = (asked, input) =>
    callMirror(asked.name === 'settle-deliveries' ? settling : { ...options, interrupted }, asked, input)
  const { always = false, withPersonal = false } = options
  const delivery = { ...statusInput(options), name, event, recipients, always, withPersonal, mail }
  return interruptible(signal, interrupted, () =>
    since === 'last'
      ? deliverDigests(call, delivery, 'all', signal)
      : sendDigestsOnce(call, sinceOption(since), delivery, signal),
  )
}

function mailOption({ smtpUrl, mailFrom }: SendDigestOptions) {
  if (smtpUrl === undefined || mailFrom === undefined) return null
  return {
    server: parseOption('smtpUrl', () => parseMailServer(smtpUrl)),
    from: parseOption('mailFrom', () => parseMailSender(mailFrom)),
  }
}
