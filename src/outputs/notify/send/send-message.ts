import type { MailSender, MailServer } from '../mail-settings.ts'
import { outlineHtml } from '../outline/html.ts'
import type { Outline } from '../outline/outline.ts'
import { outlineSlack } from '../outline/slack.ts'
import { outlineText } from '../outline/text.ts'
import type { Recipient } from '../recipient.ts'
import { MAX_ANSWER_MS, sendFailure, type SendResult } from './result.ts'

const DEADLINES = {
  /** For everything about one message: names, connections, TLS, the message; of the web also the answer. */
  sendMs: 45_000,
  /** For the answer to a mail that was sent as a whole: whoever gives up earlier sends it again to a server that only takes long. */
  answerMs: MAX_ANSWER_MS,
}

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
  { sendMs, answerMs } = DEADLINES,
): Promise<SendResult> {
  using deadline = startDeadline(sendMs)
  // guard: deadline of a delivery
  const bounded = AbortSignal.any([signal, deadline.signal])
  if (recipient.kind === 'mail') {
    if (mail === null) return sendFailure('no mail server is set')
    const { sendMail } = await import('./mail.ts')
    const [text, html] = [outlineText(outline), outlineHtml(subject, outline)]
    const content = { from: mail.from, to: recipient.address, messageId: id, subject, text, html }
    // guard: mail servers that take long
    return await sendMail(mail.server, content, bounded, () => deadline.restart(answerMs))
  }
  const { post } = await import('./post.ts')
  const body =
    recipient.kind === 'slack'
      ? outlineSlack(subject, outline)
      : { message_id: id, subject, text: outlineText(outline), ...document }
  return await post(recipient, body, id, bounded)
}

function startDeadline(ms: number) {
  const ended = new AbortController()
  const begin = (within: number) =>
    setTimeout(() => ended.abort(new DOMException('no answer in time', 'TimeoutError')), within)
  let timer = begin(ms)
  return {
    signal: ended.signal,
    restart: (within: number) => {
      clearTimeout(timer)
      timer = begin(within)
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
