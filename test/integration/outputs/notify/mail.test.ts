/** Mail to a server on loopback: TLS, certificates, refusals, silence. */
import { setTimeout } from 'node:timers/promises'
import tls from 'node:tls'
import { describe, expect, test } from 'vitest'
import { parseMailServer } from '../../../../src/outputs/notify/mail-settings.ts'
import { parseRecipients } from '../../../../src/outputs/notify/recipient.ts'
import { sendMail, transportOptions, type Mail } from '../../../../src/outputs/notify/send/mail.ts'
import { sendMessage } from '../../../../src/outputs/notify/send/send-message.ts'
import { send, startFaultServer } from '../../../support/http/fault-server.ts'
import { answer, startHttpProxy } from '../../../support/http/http-proxy.ts'
import { startSilentServer } from '../../../support/http/loopback.ts'
import { selfSigned } from '../../../support/http/certificate.ts'
import {
  startBreakingServer,
  startMailServer,
  type MailServerOptions,
} from '../../../support/outputs/notify/mail-server.ts'

const mail: Mail = {
  from: { name: 'Headcount', address: 'headcount@example.org' },
  to: 'ada@example.org',
  messageId: 'abc',
  subject: 'What changed',
  text: 'Nothing.\n',
  html: '<p>Nothing.</p>',
}
const never = new AbortController().signal

/** Sends to a server as to one on another machine. */
async function sendFar(options: MailServerOptions, form: 'smtp' | 'smtps' = 'smtp') {
  await using server = await startMailServer(options)
  const address = parseMailServer(`${form}://127.0.0.1:${server.port}`)
  const result = await sendMail({ ...address, isLoopback: false }, mail, never)
  return { result, received: server.received }
}

describe('mail to another machine', () => {
  test('is not sent where the server offers no STARTTLS', async () => {
    const { result, received } = await sendFar({ disabledCommands: ['STARTTLS'] })
    expect(result).toMatchObject({
      isAccepted: false,
      mayBeAccepted: false,
      error: expect.stringMatching(/TLS/),
    })
    expect(received).toEqual([])
  })

  test('is not sent where what should be TLS is none: the form of the address is told', async () => {
    const { result, received } = await sendFar({}, 'smtps')
    expect(result).toMatchObject({
      isAccepted: false,
      mayBeAccepted: false,
      error: expect.stringMatching(
        /^127\.0\.0\.1:\d+: the server does not answer in TLS .*\(wrong version number\)\. smtps:\/\/ .* 465; smtp:\/\/ .* 587$/,
      ),
    })
    expect(received).toEqual([])
  })

  test.each(['smtp', 'smtps'] as const)(
    'is not sent where the certificate cannot be trusted (%s)',
    async (form) => {
      const { result, received } = await sendFar(
        {
          ...selfSigned({ ipAddresses: ['127.0.0.1'] }),
          secure: form === 'smtps',
          disabledCommands: [],
        },
        form,
      )
      expect(result).toMatchObject({
        isAccepted: false,
        mayBeAccepted: false,
        error: expect.stringMatching(/self-signed certificate/),
      })
      expect(received).toEqual([])
    },
  )

  test('asks for STARTTLS and for a certificate; on this machine for neither', () => {
    expect(transportOptions(parseMailServer('smtp://me:p%40ss@mail.example.org'))).toMatchObject({
      host: 'mail.example.org',
      port: 587,
      secure: false,
      requireTLS: true,
      opportunisticTLS: false,
      tls: { rejectUnauthorized: true },
      auth: { user: 'me', pass: 'p@ss' },
    })
    expect(transportOptions(parseMailServer('smtps://mail.example.org'))).toMatchObject({
      port: 465,
      secure: true,
    })
    expect(transportOptions(parseMailServer('smtps://localhost'))).toMatchObject({
      tls: { rejectUnauthorized: true },
    })
    expect(transportOptions(parseMailServer('smtp://localhost:2525'))).toMatchObject({
      requireTLS: false,
      opportunisticTLS: true,
    })
  })
})

test('mail to a server of this machine that demands STARTTLS is sent, whoever signed its certificate', async () => {
  await using server = await startMailServer({
    ...selfSigned({ ipAddresses: ['192.0.2.1'] }),
    disabledCommands: [],
    authOptional: false,
    onAuth: ({ username }, _session, callback) => callback(null, { user: username }),
  })
  const address = parseMailServer(server.url.replace('//', '//me:secret@'))
  expect(await sendMail(address, mail, never)).toEqual({ isAccepted: true })
  expect(server.received).toMatchObject([{ isEncrypted: true }])
})

const message = {
  id: 'abc',
  subject: 's',
  outline: { title: 't', lead: [], parts: [], end: [] },
  document: {},
}

describe('a message to the web', () => {
  test('is not sent where the certificate cannot be trusted', async () => {
    await using server = await startFaultServer({ tls: selfSigned({ ipAddresses: ['127.0.0.1'] }) })
    const recipient = { kind: 'json', url: `${server.origin}/hook` } as const
    const result = await sendMessage(recipient, message, null, never)
    expect(result).toMatchObject({
      isAccepted: false,
      mayBeAccepted: false,
      error: expect.stringMatching(/self-signed/),
    })
    expect(server.requests).toEqual([])
  })

  test('goes through the HTTP proxy that leads there', async () => {
    const certificate = selfSigned({ dnsNames: ['hooks.example'] })
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate.cert])
    await using server = await startFaultServer({ tls: certificate })
    server.always(send({ status: 200, body: {} }))
    await using proxy = await startHttpProxy(server)
    const [recipient] = parseRecipients('https://hooks.example/1/xyz', () => new URL(proxy.origin))
    if (recipient === undefined) throw new Error('There is no recipient.')
    expect(await sendMessage(recipient, message, null, never)).toEqual({ isAccepted: true })
    expect(server.requests).toMatchObject([{ method: 'POST', path: '/1/xyz' }])
    expect(proxy.asked).toMatchObject([{ host: 'hooks.example:443' }])
    proxy.refuse(answer(403))
    expect(await sendMessage(recipient, message, null, never)).toMatchObject({
      isAccepted: false,
      mayBeAccepted: false,
      error: expect.stringMatching(
        /^hooks\.example: the proxy 127\.0\.0\.1:\d+ refuses to connect to hooks\.example \(403\)/,
      ),
    })
  })

  test('ends by its deadline where the server says nothing', async () => {
    await using server = await startSilentServer()
    const recipient = { kind: 'json', url: `http://127.0.0.1:${server.port}/hook` } as const
    expect(await sendMessage(recipient, message, null, never, { sendMs: 300, answerMs: 300 })).toMatchObject({
      isAccepted: false,
      mayBeAccepted: true,
      error: expect.stringMatching(/no answer in time/),
    })
  })
})

describe('mail to this machine', () => {
  test('is plain text and HTML in one message', async () => {
    await using server = await startMailServer()
    expect(await sendMail(parseMailServer(server.url), mail, never)).toEqual({ isAccepted: true })
    expect(server.received[0]?.mail).toMatchObject({
      messageId: '<abc@example.org>',
      text: 'Nothing.\n',
      html: '<p>Nothing.</p>',
    })
  })

  test('of a domain outside ASCII has it in ASCII in its Message-ID, as in its addresses', async () => {
    await using server = await startMailServer({ hideSMTPUTF8: true })
    const from = { name: 'Headcount', address: 'headcount@münchen.example' }
    const sent = await sendMail(parseMailServer(server.url), { ...mail, from, to: 'ada@köln.example' }, never)
    expect(sent).toEqual({ isAccepted: true })
    const heads = server.received.flatMap(({ mail }) => mail.headerLines.map(({ line }) => line))
    expect(heads).toContain('Message-ID: <abc@xn--mnchen-3ya.example>')
    expect(heads).toContain('To: ada@xn--kln-sna.example')
    expect(heads.join('')).toMatch(/^[\x00-\x7f]+$/)
  })

  test.each([
    ['to', { to: 'jürgen@example.org' }],
    ['from', { from: { name: 'Headcount', address: 'jürgen@example.org' } }],
  ] as const)(
    '%s an address outside ASCII is sent where the server offers SMTPUTF8, and is refused elsewhere',
    async (_, address) => {
      await using old = await startMailServer({ hideSMTPUTF8: true })
      expect(await sendMail(parseMailServer(old.url), { ...mail, ...address }, never)).toMatchObject({
        isAccepted: false,
        mayBeAccepted: false,
        isPermanent: true,
        error: expect.stringMatching(/^127\.0\.0\.1:\d+: .*SMTPUTF8/),
      })
      expect(old.received).toEqual([])
      await using server = await startMailServer()
      const sent = await sendMail(parseMailServer(server.url), { ...mail, ...address }, never)
      expect(sent).toEqual({ isAccepted: true })
      expect(server.received).toHaveLength(1)
    },
  )

  test.each([
    [550, true],
    [450, false],
  ])('that is refused with %i was not accepted', async (code, isPermanent) => {
    await using server = await startMailServer({ refuse: () => [code, 'not now'] })
    expect(await sendMail(parseMailServer(server.url), mail, never)).toMatchObject({
      isAccepted: false,
      isPermanent,
      mayBeAccepted: false,
      error: expect.stringMatching(/not now/),
    })
  })

  test('that the server scans for longer than everything before may take is accepted, and sent once', async () => {
    await using server = await startMailServer({ beforeAcceptance: () => setTimeout(2000) })
    const settings = { server: parseMailServer(server.url), from: mail.from }
    const send = (answerMs: number) =>
      sendMessage({ kind: 'mail', address: mail.to }, message, settings, never, { sendMs: 1500, answerMs })
    expect(await send(30_000)).toEqual({ isAccepted: true })
    expect(server.received).toHaveLength(1)
    expect(await send(100)).toMatchObject({ isAccepted: false, mayBeAccepted: true })
  })

  test('that nobody answers ends by its deadline', async () => {
    await using server = await startSilentServer()
    const result = await sendMail(
      parseMailServer(`smtp://127.0.0.1:${server.port}`),
      mail,
      AbortSignal.timeout(300),
    )
    expect(result).toMatchObject({ isAccepted: false, error: expect.stringMatching(/no answer in time/) })
  })

  test('of which nobody heard whether it was accepted may have been', async () => {
    const deadline = new AbortController()
    await using server = await startMailServer({
      beforeAcceptance: () => {
        void setTimeout(100).then(() => deadline.abort(new DOMException('too late', 'TimeoutError')))
        return new Promise(() => {})
      },
    })
    const result = await sendMail(parseMailServer(server.url), mail, deadline.signal)
    expect(result).toMatchObject({ isAccepted: false, mayBeAccepted: true })
    expect(server.received).toHaveLength(1)
  })

  test.each([
    ['the whole message', '\r\n.\r\n', true],
    ['its recipient', 'RCPT TO', false],
  ])('whose connection breaks after %s', async (_, last, mayBeAccepted) => {
    await using server = await startBreakingServer(last)
    const result = await sendMail(parseMailServer(`smtp://127.0.0.1:${server.port}`), mail, never)
    expect(result).toMatchObject({ isAccepted: false, mayBeAccepted })
  })

  test('where no server listens was never sent', async () => {
    const { port } = await (async () => {
      await using server = await startMailServer()
      return server
    })()
    const result = await sendMail(parseMailServer(`smtp://127.0.0.1:${port}`), mail, never)
    expect(result).toMatchObject({ isAccepted: false, isPermanent: false, mayBeAccepted: false })
  })
})
