import type { MailSettings } from '../../../outputs/notify/send/send-message.ts'
import { failed, ok, type CheckResult } from './check.ts'

/** The exit code of a digest that could not be delivered. */
const NOT_DELIVERED = 1
const DEADLINE_MS = 15_000

/** The mail server of digests and notices: does it answer, encrypt, and take the login. Nothing is sent. */
export async function checkMail({ server, from }: MailSettings, signal: AbortSignal): Promise<CheckResult> {
  const { checkMailServer } = await import('../../../outputs/notify/send/mail.ts')
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
  const found = await checkMailServer(server, deadline)
  if (!found.isAccepted)
    return failed(
      NOT_DELIVERED,
      `${found.error}: check HEADCOUNT_SMTP_URL, or ask whoever runs the mail server`,
    )
  const login = server.login === null ? 'asks for no login' : `takes the login of ${server.login.user}`
  return ok(`${server.host}:${server.port} ${login}; mail is sent from ${from.address}`)
}
