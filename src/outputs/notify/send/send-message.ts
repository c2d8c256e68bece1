import type { MailSender, MailServer } from '../mail-settings.ts'
import { outlineHtml } from '../outline/html.ts'
import type { Outline } from '../outline/outline.ts'
import { outlineSlack } from '../outline/slack.ts'
import { outlineText } from '../outline/text.ts'
import type { Recipient } from '../recipient.ts'
import { sendFailure, type SendResult } from './result.ts'

/** For everything about one message: names, connections, TLS, the message, the answer. */
const SEND_DEADLINE_MS = 45_000

/** A message, whatever it will look like. */
export interface Message {
  /** The same for the same message; of the characters 0-9, a-f and `-`. */
  readonly id: string
  readonly subject: string
  readonly outline: Outline
  /** For programs. */
  readonly document: object
}

/** How mail is sent. */
export interface MailSettings {
  readonly server: MailServer
  readonly from: MailSender
}

/** Sends it in the form of the recipient. Never throws, and ends by its deadline. @param mail null: no mail can be sent */
export async function sendMessage(
  recipient: Recipient,
  { id, subject, outline, document }: Message,
  mail: MailSettings | null,
  signal: AbortSignal,
  deadlineMs = SEND_DEADLINE_MS,
): Promise<SendResult> {
  // guard: deadline of a delivery
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])
  if (recipient.kind === 'mail') {
    if (mail === null) return sendFailure('no mail server is set')
    const { sendMail } = await import('./mail.ts')
    const [text, html] = [outlineText(outline), outlineHtml(subject, outline)]
    const content = { from: mail.from, to: recipient.address, messageId: id, subject, text, html }
    return sendMail(mail.server, content, bounded)
  }
  const { post } = await import('./post.ts')
  const body =
    recipient.kind === 'slack'
      ? outlineSlack(subject, outline)
      : { message_id: id, subject, text: outlineText(outline), ...document }
  return post(recipient, body, id, bounded)
}
