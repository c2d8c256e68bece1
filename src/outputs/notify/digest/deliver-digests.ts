/** Digests to their recipients: from where the last one to each ended, or of a while that the caller names. */
import { createHash, randomUUID } from 'node:crypto'
import { NAME_TO_OTHERS, withCommandName } from '../../../common/command-name.ts'
import { version } from '../../../common/version.ts'
import { digestCall, isNews } from '../../../mirror/answers/digest/digest-call.ts'
import type { AccountDigest } from '../../../mirror/answers/digest/digest.ts'
import { withoutPersonalData } from '../../../mirror/answers/digest/without-personal.ts'
import {
  prepareDigestsCall,
  type Attempts,
  type DigestMessage,
  type PreparedDigest,
} from '../../../mirror/deliveries/prepare-digests.ts'
import type { RecipientKey } from '../../../mirror/deliveries/claims.ts'
import type { Since } from '../../../mirror/instants/parse-since.ts'
import type { MirrorSettings } from '../../../mirror/status/list-status.ts'
import {
  deliver,
  forEachMessage,
  forEachPrepared,
  oneAtATime,
  type Delivery,
  type RunCall,
} from '../deliver.ts'
import { recipientKey, type Recipient } from '../recipient.ts'
import { sendMessage, type MailSettings, type Message } from '../send/send-message.ts'
import { digestOutline } from './digest-outline.ts'
import { digestSubject } from './digest-subject.ts'

export interface DigestDeliveryOptions extends MirrorSettings {
  /** null: of each account. */
  readonly account: string | null
  readonly name: string
  /** Of one event; null: of all. */
  readonly event: string | null
  readonly recipients: readonly Recipient[]
  /** Names people to web addresses, too; mail names them in any case. */
  readonly withPersonal: boolean
  /** Also when there is nothing new. */
  readonly always: boolean
  readonly mail: MailSettings | null
}

/**
 * Tells each recipient what changed since the last digest that was accepted. Not one in doubt is skipped: it may come twice, with
 * the same Message-ID where it says the same.
 */
export async function deliverDigests(
  ask: RunCall,
  { mail, withPersonal, ...options }: DigestDeliveryOptions,
  attempts: Attempts,
  signal: AbortSignal,
): Promise<readonly Delivery[]> {
  const call = oneAtATime(ask)
  const prepare = (recipients: readonly RecipientKey[]) =>
    call(prepareDigestsCall, { ...options, recipients, attempts })
  const send = async (one: PreparedDigest, recipient: Recipient): Promise<Delivery> => {
    const shown = recipientKey(recipient).shown
    if (one.message === null) return unsent(one, shown)
    const message = messageOf(options.name, one.message, recipient, withPersonal)
    const claimed = { ...one.message, notice: null }
    const became = await deliver(call, claimed, () => sendMessage(recipient, message, mail, signal), signal)
    return { account: one.account, recipient: shown, message_id: message.id, ...became }
  }
  return forEachPrepared(call, options.recipients, prepare, send, signal)
}

function unsent({ account, state, next_attempt_at }: PreparedDigest, recipient: string): Delivery {
  if (state === 'claimed') throw new RangeError('A digest was claimed without a message.')
  return { account, recipient, state, message_id: null, error: null, next_attempt_at }
}

/** Tells what happened since a moment or a run, once; no cursor moves. */
export async function sendDigestsOnce(
  call: RunCall,
  since: Since,
  { account, name, event, recipients, withPersonal, always, mail, ...settings }: DigestDeliveryOptions,
  signal: AbortSignal,
): Promise<readonly Delivery[]> {
  const { accounts } = await call(digestCall, { account, event, since, ...settings })
  const messages = accounts.flatMap((digest) => recipients.map((recipient) => ({ digest, recipient })))
  const send = async ({ digest, recipient }: (typeof messages)[number]): Promise<Delivery> => {
    const told = { account: digest.account, recipient: recipientKey(recipient).shown, next_attempt_at: null }
    if (!always && !isNews(digest)) return { ...told, state: 'nothing_new', message_id: null, error: null }
    signal.throwIfAborted()
    const message = messageOf(name, { message_id: randomUUID(), digest }, recipient, withPersonal)
    const result = await sendMessage(recipient, message, mail, signal)
    if (result.isAccepted) return { ...told, state: 'accepted', message_id: message.id, error: null }
    signal.throwIfAborted()
    return { ...told, state: 'failed', message_id: message.id, error: result.error }
  }
  return forEachMessage(messages, send, signal)
}

function messageOf(
  name: string,
  { message_id: id, digest }: Pick<DigestMessage, 'message_id' | 'digest'>,
  recipient: Recipient,
  withPersonal: boolean,
): Message {
  // guard: names to the web
  const told: AccountDigest = recipient.kind === 'mail' || withPersonal ? digest : withoutPersonalData(digest)
  const subject = digestSubject(name, told)
  const outline = withCommandName(NAME_TO_OTHERS, () => digestOutline(told))
  const document = { type: 'digest', name, digest: told }
  return { id: contentId(id, [version(), subject, outline, document]), subject, outline, document }
}

/** A receiver that knows the key of a message refuses another one with it, for ever. */
function contentId(id: string, content: readonly unknown[]): string {
  // guard: one key for one content
  const identity = [id, content]
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 40)
}
