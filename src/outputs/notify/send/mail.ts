/** Sends mail by SMTP, one message to one recipient. */
import { domainToASCII } from 'node:url'
import { createTransport, type Transporter } from 'nodemailer'
import { raceAbort } from '../../../common/abort.ts'
import type { MailSender, MailServer } from '../mail-settings.ts'
import {
  errorLine,
  MAX_ANSWER_MS,
  reasonOf,
  sendFailure,
  type SendFailure,
  type SendResult,
} from './result.ts'

const MAX_CONNECT_MS = 10_000

export interface Mail {
  readonly from: MailSender
  /** One address: nobody learns who else is told. */
  readonly to: string
  /** Without `<`, `@` and a domain. */
  readonly messageId: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** How the server is spoken to. Pure, so that a test sees it for servers that are no loopback. */
export function transportOptions(server: MailServer) {
  const { host, port, isImplicitTls, isLoopback, login } = server
  // A server of this machine may demand STARTTLS, mostly with a certificate that nobody signed, or not have it.
  const needsNoTls = !isImplicitTls && isLoopback
  return {
    host,
    port,
    secure: isImplicitTls,
    // guard: STARTTLS
    requireTLS: !isImplicitTls && !isLoopback,
    opportunisticTLS: needsNoTls,
    // Explicit: no environment variable can switch off the check of certificates.
    tls: { /* guard: certificates of mail servers */ rejectUnauthorized: !needsNoTls },
    ...(login !== null && { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: MAX_CONNECT_MS,
    greetingTimeout: MAX_CONNECT_MS,
    dnsTimeout: MAX_CONNECT_MS,
    // Until the whole message is sent, the signal ends a silence earlier.
    socketTimeout: MAX_ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Never throws. @param signal also ends it by its deadline @param onWritten the server has the whole message, and is to answer */
export async function sendMail(
  server: MailServer,
  mail: Mail,
  signal: AbortSignal,
  onWritten: () => void = () => {},
): Promise<SendResult> {
  const { messageId, ...content } = mail
  const refusal = needsUtf8(mail) ? await refusalOfUtf8(server, signal) : null
  if (refusal !== null) return refusal
  const send = (transport: Transporter) =>
    transport.sendMail({
      ...content,
      messageId: `<${messageId}@${domainToASCII(mail.from.address.replace(/^.*@/, '')) || 'localhost'}>`,
      // Out-of-office programs do not answer it.
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal,
    })
  return overTransport(server, signal, send, { onWritten })
}

/** A domain has a form in ASCII, what stands before the @ has none. */
function needsUtf8({ from, to }: Mail): boolean {
  return [from.address, to].some((address) => /[^\x00-\x7f].*@/u.test(address))
}

/** Asked on a connection of its own, for nodemailer sends such an address to every server. */
async function refusalOfUtf8(server: MailServer, signal: AbortSignal): Promise<SendFailure | null> {
  let isOffered = false
  const result = await overTransport(server, signal, (transport) => raceAbort(transport.verify(), signal), {
    onReply: (reply) => void (isOffered ||= /^250[ -]SMTPUTF8\b/im.test(reply)),
  })
  if (!result.isAccepted) return result
  if (isOffered) return null
  const error = `${server.host}:${server.port}: the server takes only ASCII before the @ of an address (it offers no SMTPUTF8)`
  return sendFailure(error, { isPermanent: true })
}

/** Whether the server answers, encrypts and takes the login; nothing is sent. Never throws. */
export function checkMailServer(server: MailServer, signal: AbortSignal): Promise<SendResult> {
  return overTransport(server, signal, (transport) => raceAbort(transport.verify(), signal))
}

interface Watching {
  readonly onReply?: ((reply: string) => void) | null
  readonly onWritten?: () => void
}

async function overTransport(
  server: MailServer,
  signal: AbortSignal,
  work: (transport: Transporter) => Promise<unknown>,
  { onReply = null, onWritten = () => {} }: Watching = {},
): Promise<SendResult> {
  const written = watchMessage(onReply ?? (() => {}), onWritten)
  const logging = { logger: written.logger, transactionLog: onReply !== null }
  const transport = createTransport({ ...transportOptions(server), ...logging })
  try {
    await work(transport)
    return { isAccepted: true }
  } catch (error) {
    return failureOf(error, server, { signal, isWritten: written.isWritten() })
  } finally {
    transport.close()
  }
}

/**
 * Knows whether the whole message was written to the server. nodemailer says so to its logger alone: to the error of a connection that
 * broke or was silent it always adds the same command, whatever was sent before. So it does with what the server replied.
 */
function watchMessage(onReply: (reply: string) => void, onWritten: () => void) {
  let isWritten = false
  const isAbout = (entry: unknown, what: string) =>
    typeof entry === 'object' && entry !== null && Reflect.get(entry, 'tnx') === what
  const ignore = () => {}
  const logger = {
    level: ignore,
    trace: ignore,
    debug: (entry: unknown, text: unknown) => {
      if (isAbout(entry, 'server') && typeof text === 'string') onReply(text)
    },
    info: (entry: unknown) => {
      if (isWritten || !isAbout(entry, 'message')) return
      isWritten = true
      onWritten()
    },
    warn: ignore,
    error: ignore,
    fatal: ignore,
  }
  return { logger, isWritten: () => isWritten }
}

function failureOf(
  error: unknown,
  { host, port, login }: MailServer,
  { signal, isWritten }: { readonly signal: AbortSignal; readonly isWritten: boolean },
): SendResult {
  /** What nodemailer says of an error. */
  const field = (name: string): unknown => (error instanceof Error ? Reflect.get(error, name) : undefined)
  const hasReply = typeof field('responseCode') === 'number'
  const reason = inWords(reasonOf(error, signal))
  const secrets = login === null ? [] : sentSecrets(login)
  return sendFailure(errorLine(`${host}:${port}: ${reason}`, secrets), {
    isPermanent: field('permanent') === true,
    // guard: unknown ends of a mail
    mayBeAccepted: !hasReply && isWritten,
  })
}

/** OpenSSL puts its reason between numbers and names of its sources. */
function inWords(reason: string): string {
  const [, fault] = /:SSL routines:[^:]*:([^:]+):/.exec(reason) ?? []
  if (fault === undefined) return reason
  return `the server does not answer in TLS as it should (${fault}). smtps:// begins with TLS, mostly on port 465; smtp:// begins without, mostly on 587`
}

/** The password as it is, and as it is sent: a server may quote either. */
function sentSecrets({ user, password }: NonNullable<MailServer['login']>): readonly string[] {
  const encoded = [password, `\0${user}\0${password}`].map((text) => Buffer.from(text).toString('base64'))
  return [password, ...encoded]
}
