/** Tells the operator that the state of the mirror has changed. */
import { NAME_TO_OTHERS, withCommandName } from '../../../common/command-name.ts'
import type { Timestamp } from '../../../common/schema/tables.ts'
import type { RecipientKey } from '../../../mirror/deliveries/claims.ts'
import { prepareNoticesCall, type PreparedNotice } from '../../../mirror/deliveries/prepare-notices.ts'
import type { NoticeReason } from '../../../mirror/deliveries/settle.ts'
import { deliver, forEachPrepared, oneAtATime, type RunCall } from '../deliver.ts'
import { recipientKey, type Recipient } from '../recipient.ts'
import { sendMessage, type MailSettings } from '../send/send-message.ts'
import { noticeOutline, noticeSubject } from './notice-outline.ts'

export interface NoticeOptions {
  /** null: the one that is meant when none is named. */
  readonly account: string | null
  readonly recipients: readonly Recipient[]
  readonly mail: MailSettings | null
}

/** Its `cause` is the code of the error that ended the run; null where none did. */
export interface Notice extends NoticeReason {
  readonly reason: string
}

/** What became of a notice at one recipient. */
export interface NoticeDelivery {
  readonly account: string
  readonly recipient: string
  readonly state: Exclude<PreparedNotice['state'], 'claimed'> | 'accepted' | 'failed'
  readonly error: string | null
  /** When it may be tried again; null: nobody knows, or there is no need. */
  readonly next_attempt_at: Timestamp | null
}

export async function deliverNotices(
  ask: RunCall,
  { account, recipients, mail }: NoticeOptions,
  { state, cause, reason }: Notice,
  signal: AbortSignal,
): Promise<readonly NoticeDelivery[]> {
  const call = oneAtATime(ask)
  const prepare = (keys: readonly RecipientKey[]) =>
    call(prepareNoticesCall, { account, state, cause, recipients: keys })
  const send = async (one: PreparedNotice, recipient: Recipient): Promise<NoticeDelivery> => {
    const told = { account: one.account, recipient: recipientKey(recipient).shown }
    if (one.state !== 'claimed' || one.message === null)
      return {
        ...told,
        state: one.state === 'claimed' ? 'busy' : one.state,
        error: null,
        next_attempt_at: one.until,
      }
    // guard: reasons to the web
    const shownReason = recipient.kind === 'mail' ? reason : null
    const message = {
      id: one.message.message_id,
      subject: noticeSubject(one.account, state),
      outline: withCommandName(NAME_TO_OTHERS, () => noticeOutline(one.account, state, shownReason)),
      document: { type: 'notice', account: one.account, state },
    }
    const claimed = { ...one.message, notice: { state, cause } }
    const became = await deliver(call, claimed, () => sendMessage(recipient, message, mail, signal), signal)
    return { ...told, ...became }
  }
  return forEachPrepared(call, recipients, prepare, send, signal)
}
