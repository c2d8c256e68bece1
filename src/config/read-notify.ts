/** Who is told of changes and of the mirror's state, and how. */
import { parseMailServer } from '../outputs/notify/mail-settings.ts'
import { parseRecipients } from '../outputs/notify/recipient.ts'
import type { MailSettings } from '../outputs/notify/send/send-message.ts'
import type { SettingsReader } from './reading.ts'
import { settings } from './settings.ts'

export type NotifyConfig = Awaited<ReturnType<typeof readNotify>>

export async function readNotify(reading: SettingsReader) {
  const recipients = (text: string) => parseRecipients(text, reading.proxyFor)
  const server = reading.secret('HEADCOUNT_SMTP_URL', parseMailServer)
  const from = await reading.take(settings.mailFrom)
  const digestTo = reading.secret('HEADCOUNT_DIGEST_TO', recipients) ?? []
  const notifyTo = reading.secret('HEADCOUNT_NOTIFY_TO', recipients) ?? []
  const digestSchedule = await reading.take(settings.digestSchedule)
  const mail: MailSettings | null = server === null || from === null ? null : Object.freeze({ server, from })
  const isFaulty = reading.faults.length > 0
  if (!isFaulty && mail === null && [...digestTo, ...notifyTo].some(({ kind }) => kind === 'mail'))
    reading.faults.push(mailFault(server === null ? 'HEADCOUNT_SMTP_URL' : 'HEADCOUNT_MAIL_FROM'))
  if (!isFaulty && digestSchedule !== null && digestTo.length === 0)
    reading.faults.push(
      `${settings.digestSchedule.variable} has nobody to tell: set HEADCOUNT_DIGEST_TO (or HEADCOUNT_DIGEST_TO_FILE), like mailto:ada@example.org`,
    )
  return Object.freeze({
    /** null: no mail can be sent. */
    mail,
    /** Then the sender alone is missing. */
    mailServerIsSet: server !== null,
    digestTo,
    /** Cron's form; null: none are sent by themselves. */
    digestSchedule,
    /** Names people to web addresses. */
    digestWithPersonal: await reading.take(settings.withPersonal),
    notifyTo,
    /** The HTTP proxy that leads to a web address; null: none does. @throws ConfigurationError when its own address is faulty */
    proxyFor: (url: URL): URL | null => {
      const proxy = reading.proxyFor(url)
      reading.finish()
      return proxy
    },
  })
}

/** @param missing what is not set */
export function mailFault(missing: 'HEADCOUNT_SMTP_URL' | 'HEADCOUNT_MAIL_FROM'): string {
  const example =
    missing === 'HEADCOUNT_SMTP_URL' ? 'smtp://user:password@mail.example.org:587' : 'headcount@example.org'
  return `${missing} is not set, and mail is to be sent: set it, like ${example}${missing === 'HEADCOUNT_SMTP_URL' ? ' (or HEADCOUNT_SMTP_URL_FILE to a file that holds it)' : ''}`
}
