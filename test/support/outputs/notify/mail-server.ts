/** A mail server on loopback that really speaks SMTP, and refuses or hangs as a test says. */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { simpleParser, type ParsedMail } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { listenOnLoopback, type LoopbackServer } from '../../http/loopback.ts'

export interface ReceivedMail {
  readonly from: string
  /** Of the envelope. */
  readonly to: readonly string[]
  readonly isEncrypted: boolean
  readonly mail: ParsedMail
}

export interface MailServerOptions extends Pick<
  SMTPServerOptions,
  'secure' | 'key' | 'cert' | 'disabledCommands' | 'authOptional' | 'onAuth' | 'hideSMTPUTF8'
> {
  /** The code and text with which a recipient is refused; null: it is taken. */
  readonly refuse?: (address: string) => readonly [code: number, text: string] | null
  /** What is done between the message and its acceptance. */
  readonly beforeAcceptance?: () => void | Promise<void>
}

export interface MailServer extends AsyncDisposable {
  readonly port: number
  readonly url: string
  readonly received: readonly ReceivedMail[]
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { refuse = () => null, beforeAcceptance = () => {}, ...own } = options
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 500,
    ...own,
    onRcptTo: ({ address }, _session, callback) => {
      const refusal = refuse(address)
      if (refusal === null) return callback()
      callback(Object.assign(new Error(refusal[1]), { responseCode: refusal[0] }))
    },
    onData: (stream, session, callback) => {
      void (async () => {
        try {
          const mail = await simpleParser(await buffer(stream))
          const { mailFrom, rcptTo } = session.envelope
          received.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            isEncrypted: session.secure,
            mail,
          })
          await beforeAcceptance()
          callback()
        } catch (error) {
          callback(error instanceof Error ? error : new Error(String(error)))
        }
      })()
    },
  })
  // A client that breaks off is no fault of the test.
  server.on('error', () => {})
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      await closed.promise
    },
  }
}

/** Speaks as much SMTP as it needs, and breaks the connection as soon as it was sent these bytes. */
export function startBreakingServer(last: string): Promise<LoopbackServer> {
  const server = createServer((socket) => {
    let sent = ''
    socket.on('data', (chunk: Buffer) => {
      sent += chunk.toString('latin1')
      if (sent.includes(last)) socket.destroy()
      else if (chunk.toString('latin1').startsWith('DATA')) socket.write('354 go on\r\n')
      else if (!sent.includes('DATA\r\n')) socket.write('250 ok\r\n')
    })
    socket.write('220 here\r\n')
  })
  return listenOnLoopback(server)
}
