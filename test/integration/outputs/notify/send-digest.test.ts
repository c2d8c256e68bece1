/** Digests to mail servers and web addresses: what is sent, and what the next digest goes on from. */
import { expect, test } from 'vitest'
import {
  InterruptedError,
  prune,
  sendDigest,
  status,
  type Delivery,
  type SendDigestOptions,
} from '../../../../src/index.ts'
import { withCommandName } from '../../../../src/common/command-name.ts'
import { statusInput } from '../../../../src/mirror/library-api/inspect.ts'
import { callMirror } from '../../../../src/mirror/library-api/with-mirror.ts'
import type { RunCall } from '../../../../src/outputs/notify/deliver.ts'
import { deliverDigests } from '../../../../src/outputs/notify/digest/deliver-digests.ts'
import { parseMailSender, parseMailServer } from '../../../../src/outputs/notify/mail-settings.ts'
import { parseRecipients } from '../../../../src/outputs/notify/recipient.ts'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import { startSilentServer } from '../../../support/http/loopback.ts'
import {
  startBreakingServer,
  startMailServer,
  type MailServer,
} from '../../../support/outputs/notify/mail-server.ts'
import { startWebRecipient } from '../../../support/outputs/notify/web-recipient.ts'
import { onBothStages, onPostgresStage, optionOf, type Stage } from '../../../support/runs/stage.ts'

const from = 'Headcount <headcount@example.org>'
const ADA = 'mailto:ada@example.org'

async function mirrored(start: (account: ReturnType<typeof accountOf>) => Promise<Stage>): Promise<Stage> {
  const account = accountOf({})
  account.add('gala', 3, { title: 'Gala', event_at: new Date(Date.now() + 7 * 86_400_000).toISOString() })
  const on = await start(account)
  await on.sync()
  return on
}

/** Mail on loopback, unless other options say so. */
function send(on: Stage, server: Pick<MailServer, 'url'>, options: Partial<SendDigestOptions> = {}) {
  return sendDigest({ ...optionOf(on.target), to: ADA, smtpUrl: server.url, mailFrom: from, ...options })
}

/** A run that finds another response of that name. */
async function answered(on: Stage, id: number, name: string): Promise<void> {
  on.account.of('gala').push(responseItem(id, { name }))
  await on.sync({ all: true })
}

/** With a server that breaks the connection after the message. */
async function breaking<T>(work: (server: { readonly url: string }) => Promise<T>): Promise<T> {
  await using server = await startBreakingServer('\r\n.\r\n')
  return await work({ url: `smtp://127.0.0.1:${server.port}` })
}

/** Ends a digest to so many recipients by a signal, while none has answered. */
async function interrupt(on: Stage, count: number) {
  await using silent = await startSilentServer()
  let settling = 0
  let settled = 0
  const call: RunCall = async (asked, input) => {
    const isSettling = asked.name === 'settle-deliveries'
    if (isSettling) settling += 1
    const answer = await callMirror(optionOf(on.target), asked, input)
    if (isSettling) [settling, settled] = [settling - 1, settled + 1]
    return answer
  }
  const to = Array.from({ length: count }, (_, at) => `mailto:a${at}@example.org`).join(' ')
  const mail = {
    server: parseMailServer(`smtp://127.0.0.1:${silent.port}`),
    from: parseMailSender(from),
  }
  const settings = { ...statusInput(optionOf(on.target)), name: 'default', event: null, mail }
  const options = { ...settings, withPersonal: false, always: false, recipients: parseRecipients(to) }
  const stopping = new AbortController()
  const sending = deliverDigests(call, options, 'all', stopping.signal).catch((error: unknown) => error)
  await expect.poll(silent.connections, { timeout: 20_000 }).toBe(4)
  stopping.abort(new Error('enough'))
  const error = await sending
  return { error, settling, settled }
}

const states = (deliveries: readonly Delivery[]) => deliveries.map(({ state }) => state)
const ofMail = async (on: Stage) => (await status(optionOf(on.target)))[0]?.deliveries ?? []

onBothStages('a digest by mail', (stage) => {
  test('says first that it begins, then what changed since, and nothing where nothing did', async () => {
    await using on = await mirrored(stage)
    await using server = await startMailServer()
    expect(await send(on, server)).toMatchObject([{ account: 'default', recipient: ADA, state: 'accepted' }])
    await answered(on, 7, 'Grace')
    expect(states(await send(on, server))).toEqual(['accepted'])
    expect(states(await send(on, server))).toEqual(['nothing_new'])
    await on.sync({ all: true })
    expect(states(await send(on, server))).toEqual(['nothing_new'])
    expect(states(await send(on, server, { always: true }))).toEqual(['accepted'])

    const [first, second, third] = server.received
    expect(server.received).toHaveLength(3)
    expect(first).toMatchObject({ from: 'headcount@example.org', to: ['ada@example.org'] })
    expect(first?.mail.subject).toBe('headcount: from now on what changes')
    expect(first?.mail.text).toMatch(/This is the first digest: from now on it tells what changes\./)
    expect(second?.mail.subject).toBe('headcount: 1 new, +12.50')
    expect(second?.mail.text).toMatch(
      /^default: since .* \(run 1\)\n\nNew: 1\n {2}Gala: Grace \(amount 12\.50\)\n/,
    )
    expect(second?.mail.html).toMatch(/<li style="[^"]+">Gala: Grace \(amount 12\.50\)</)
    expect(second?.mail.headers.get('auto-submitted')).toBe('auto-generated')
    expect(third?.mail.text).toMatch(/Nothing new\./)
    const ids = server.received.map(({ mail }) => mail.messageId)
    expect(new Set(ids).size).toBe(3)
    expect(ids[0]).toMatch(/^<[0-9a-f]{40}@example\.org>$/)
    expect(await ofMail(on)).toMatchObject([
      { kind: 'digest', name: 'default', recipient: ADA, delivered_run_id: 3, failures: 0, error: null },
    ])
  })

  test('is sent by one process at a time, and again with the same id by the next one when that one died', async () => {
    await using on = await mirrored(stage)
    const reached = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    let holds = true
    await using server = await startMailServer({
      beforeAcceptance: async () => {
        if (!holds) return
        reached.resolve()
        await released.promise
      },
    })
    const first = send(on, server)
    await reached.promise
    expect(states(await send(on, server))).toEqual(['busy'])
    // The process that has it dies: nobody hears of the acceptance, and its claim ends by itself.
    await on.change(`update headcount.deliveries set claim = gen_random_uuid(), claimed_until = now()`)
    holds = false
    await answered(on, 7, 'Grace')
    expect(states(await send(on, server))).toEqual(['accepted'])
    released.resolve()
    await first
    const ids = server.received.map(({ mail }) => mail.messageId)
    expect(ids).toEqual([ids[0], ids[0]])
    // Nothing that came meanwhile is skipped.
    expect(states(await send(on, server))).toEqual(['accepted'])
    expect(server.received.at(-1)?.mail.text).toMatch(/Grace/)
    expect(server.received.at(-1)?.mail.messageId).not.toBe(ids[0])
  })
})

onPostgresStage('a digest by mail (postgres)', (stage) => {
  test('with a name or of one event goes on by itself', async () => {
    await using on = await mirrored(stage)
    await using server = await startMailServer()
    await send(on, server)
    await send(on, server, { name: 'weekly' })
    await send(on, server, { event: 'gala' })
    await answered(on, 7, 'Grace')
    expect(states(await send(on, server))).toEqual(['accepted'])
    expect(states(await send(on, server, { event: 'gala' }))).toEqual(['accepted'])
    expect(states(await send(on, server, { name: 'weekly' }))).toEqual(['accepted'])
    expect(server.received.map(({ mail }) => mail.subject).slice(3)).toEqual([
      'headcount: 1 new, +12.50',
      'headcount: 1 new, +12.50',
      'headcount weekly: 1 new, +12.50',
    ])
  })

  test('of a named while moves no cursor', async () => {
    await using on = await mirrored(stage)
    await using server = await startMailServer()
    expect(states(await send(on, server, { since: 1 }))).toEqual(['nothing_new'])
    await answered(on, 7, 'Grace')
    expect(states(await send(on, server, { since: 1 }))).toEqual(['accepted'])
    expect(await ofMail(on)).toEqual([])
  })

  test('that may have been accepted is the same one again, whatever keeps it from its server meanwhile', async () => {
    await using on = await mirrored(stage)
    await using server = await startMailServer()
    const to = ['ada', 'bob', 'eve', 'joe', 'zoe'].map((name) => `mailto:${name}@example.org`)
    await send(on, server, { to })
    await answered(on, 7, 'Grace')
    const inDoubt = await breaking((broken) => send(on, broken, { to }))
    const ids = inDoubt.map(({ message_id }) => message_id)
    expect(states(inDoubt)).toEqual(to.map(() => 'failed'))
    await answered(on, 8, 'Edsger')
    // Nobody listens there any more: a clear failure.
    expect(states(await send(on, { url: 'smtp://127.0.0.1:1' }, { to }))).toEqual(to.map(() => 'failed'))
    // A signal ends the messages under way, and those behind them.
    await using silent = await startSilentServer()
    const stopping = new AbortController()
    const silenced = { url: `smtp://127.0.0.1:${silent.port}` }
    const sending = send(on, silenced, { to, signal: stopping.signal }).catch((error: unknown) => error)
    await expect.poll(silent.connections, { timeout: 20_000 }).toBe(4)
    stopping.abort()
    expect(await sending).toBeInstanceOf(InterruptedError)
    // All of them are settled, too.
    await expect
      .poll(() => on.query('select count(*)::int from headcount.deliveries where claim is not null'))
      .toEqual([[0]])

    const again = await send(on, server, { to })
    expect(states(again)).toEqual(to.map(() => 'accepted'))
    expect(again.map(({ message_id }) => message_id)).toEqual(ids)
    for (const { mail } of server.received.slice(-5)) {
      expect(mail.text).toMatch(/Grace/)
      expect(mail.text).not.toMatch(/Edsger/)
    }
    expect(states(await send(on, server, { to }))).toEqual(to.map(() => 'accepted'))
    expect(server.received.at(-1)?.mail.text).toMatch(/Edsger/)
  })

  test('whose claim ended while others were sent is left to the process that has taken it', async () => {
    await using on = await mirrored(stage)
    const released = Promise.withResolvers<void>()
    await using silent = await startMailServer({ beforeAcceptance: () => released.promise })
    await using server = await startMailServer()
    // Four are sent at once, and the fifth waits for its turn.
    const to = ['ada', 'bob', 'eve', 'joe', 'zoe'].map((name) => `mailto:${name}@example.org`)
    const slow = send(on, silent, { to })
    await expect
      .poll(() => on.query('select count(*)::int from headcount.deliveries where claim is not null'))
      .toEqual([[5]])
    await on.change(
      `update headcount.deliveries set claimed_until = now() where recipient = 'mailto:zoe@example.org'`,
    )
    expect(states(await send(on, server, { to: to.slice(4) }))).toEqual(['accepted'])
    released.resolve()
    expect(states(await slow)).toEqual(['accepted', 'accepted', 'accepted', 'accepted', 'busy'])
    expect(silent.received.flatMap((one) => one.to)).not.toContain('zoe@example.org')
  })

  test('that a signal ends gives back all at once, however many recipients there are', async () => {
    await using on = await mirrored(stage)
    for (const [recipients, calls] of [
      // All are under way: each has begun, and is given back.
      [4, 8],
      // One call more for all others.
      [40, 9],
    ] as const) {
      const { error, settling, settled } = await interrupt(on, recipients)
      expect(error).toMatchObject({ message: 'enough' })
      expect(settling).toBe(0)
      expect(settled).toBe(calls)
      expect(await on.query('select count(claim)::int from headcount.deliveries')).toEqual([[0]])
    }
  })

  test('that has nothing new after one that failed is not tried again', async () => {
    await using on = await mirrored(stage)
    await using server = await startMailServer()
    await send(on, server)
    const [failed] = await send(on, { url: 'smtp://127.0.0.1:1' }, { always: true })
    expect(failed).toMatchObject({ state: 'failed', next_attempt_at: expect.any(String) })
    expect(await send(on, server)).toMatchObject([{ state: 'nothing_new', next_attempt_at: null }])
    expect(await ofMail(on)).toMatchObject([{ failures: 0, next_attempt_at: null }])
  })

  test('that a server takes and never answers ends by its deadline, and is sent again as it was', async () => {
    await using on = await mirrored(stage)
    await using silent = await startSilentServer()
    const stopping = new AbortController()
    const sending = send(on, { url: `smtp://127.0.0.1:${silent.port}` }, { signal: stopping.signal })
    await expect.poll(silent.connections, { timeout: 20_000 }).toBe(1)
    stopping.abort(new Error('enough'))
    const ended = await sending.catch((error: unknown) => error)
    expect(ended).toBeInstanceOf(InterruptedError)
    expect(ended).toMatchObject({ cause: { message: 'enough' } })
    // The claim is given back at once.
    await using server = await startMailServer()
    expect(states(await send(on, server))).toEqual(['accepted'])
  })

  test('changes that were pruned before they were told are not passed over in silence', async () => {
    await using on = await mirrored(stage)
    await using server = await startMailServer()
    await send(on, server)
    on.account.of('gala')[0] = responseItem(1, { name: 'Grace' })
    await on.sync({ all: true })
    await prune({ ...optionOf(on.target), historyBefore: new Date() })
    expect(states(await send(on, server))).toEqual(['accepted'])
    expect(server.received[1]?.mail.subject).toBe('headcount: history was pruned')
    expect(server.received[1]?.mail.text).toMatch(
      /History was pruned since: what changed before [^.]+ is not\nall told\.\n\nNothing else is new\./,
    )
    // It is told once, also when runs come after it.
    expect(states(await send(on, server))).toEqual(['nothing_new'])
    await on.run('sync', { all: true })
    expect(states(await send(on, server))).toEqual(['nothing_new'])
    on.account.of('gala').push(responseItem(7, { name: 'Grace' }))
    await on.run('sync', { all: true })
    await send(on, server)
    expect(server.received[2]?.mail.subject).toBe('headcount: 1 new, +12.50')
  })

  test('that was refused is told again whole, and status says why', async () => {
    await using on = await mirrored(stage)
    let refusal: readonly [number, string] | null = null
    await using server = await startMailServer({ refuse: () => refusal })
    await send(on, server)
    await answered(on, 7, 'Grace')
    refusal = [450, 'greylisted, come back later']
    const [failed] = await send(on, server)
    expect(failed).toMatchObject({ state: 'failed', error: expect.stringMatching(/greylisted/) })
    expect(Date.parse(failed?.next_attempt_at ?? '') - Date.now()).toBeLessThanOrEqual(60_000)
    refusal = [550, 'no such user']
    expect(await send(on, server)).toMatchObject([
      { state: 'failed', error: expect.stringMatching(/no such user/) },
    ])
    expect(await ofMail(on)).toMatchObject([
      {
        delivered_run_id: 1,
        failures: 2,
        error: expect.stringMatching(/no such user/),
        failed_at: expect.any(String),
      },
    ])
    await answered(on, 8, 'Edsger')
    refusal = null
    expect(states(await send(on, server))).toEqual(['accepted'])
    const text = server.received.at(-1)?.mail.text
    expect(text).toMatch(/Grace/)
    expect(text).toMatch(/Edsger/)
    expect(await ofMail(on)).toMatchObject([
      { delivered_run_id: 3, failures: 0, error: null, failed_at: null },
    ])
  })

  test('goes to each recipient alone; one that is refused does not keep the others', async () => {
    await using on = await mirrored(stage)
    await using server = await startMailServer({
      refuse: (address) => (address.startsWith('bob') ? [550, 'bob has left'] : null),
    })
    const to = 'mailto:ada@EXAMPLE.ORG,bob@example.org mailto:ada@example.org mailto:eve@example.org'
    const deliveries = await send(on, server, { to })
    expect(deliveries.map(({ recipient, state }) => [recipient, state])).toEqual([
      ['mailto:ada@example.org', 'accepted'],
      ['mailto:bob@example.org', 'failed'],
      ['mailto:eve@example.org', 'accepted'],
    ])
    expect(server.received.map(({ to }) => to)).toEqual([['ada@example.org'], ['eve@example.org']])
    // Nobody learns who else is told.
    const heads = server.received.map(({ mail }) => mail.headerLines.find(({ key }) => key === 'to')?.line)
    expect(heads).toEqual(['To: ada@example.org', 'To: eve@example.org'])
  })
})

onPostgresStage('a digest to the web', (stage) => {
  test('is JSON for any address, without names unless they are asked for', async () => {
    await using on = await mirrored(stage)
    await using web = await startWebRecipient()
    const to = `${web.origin}/hooks/s3cret-path?token=abc`
    const post = (options: Partial<SendDigestOptions> = {}) =>
      sendDigest({ ...optionOf(on.target), to, ...options })
    await post()
    const secret = { name: 'Ada Lovelace', email: 'ada@example.org', message: 'with the engine' }
    on.account.of('gala').push(responseItem(7, secret))
    on.account.of('gala')[0] = responseItem(1, { ...secret, quantity: 9, dietary: 'no nuts' })
    await on.sync({ all: true })
    expect(await post()).toMatchObject([
      {
        state: 'accepted',
        recipient: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/… \([0-9a-f]{8}\)$/),
      },
    ])
    await post({ since: 1, withPersonal: true })
    const [, told, named] = web.posted
    expect(told?.path).toBe('/hooks/s3cret-path?token=abc')
    expect(told?.headers['idempotency-key']).toBe(told?.body.message_id)
    expect(told?.body).toMatchObject({
      type: 'digest',
      name: 'default',
      digest: { account: 'default', responses_new: { total: '1' } },
    })
    expect(JSON.stringify(told?.body)).not.toMatch(/Lovelace|ada@|engine|nuts|Guest/)
    const fields: { field: string; is_withheld?: true }[] =
      told?.body.digest.responses_changed.items[0].fields
    expect(fields.filter((one) => one.is_withheld).map(({ field }) => field)).toEqual([
      'dietary',
      'email',
      'message',
      'name',
    ])
    expect(fields.filter((one) => !one.is_withheld).map(({ field }) => field)).toContain('quantity')
    expect(JSON.stringify(named?.body)).toMatch(/Lovelace/)
    // Nothing of a secret address stays in the mirror.
    expect(JSON.stringify(await ofMail(on))).not.toMatch(/s3cret|token/)
    expect(JSON.stringify(await on.query('select to_jsonb(d) from headcount.deliveries d'))).not.toMatch(
      /s3cret|token/,
    )
  })

  test('names the command as it is called anywhere, not by where it lies here', async () => {
    await using on = await mirrored(stage)
    await using web = await startWebRecipient()
    const to = `${web.origin}/hooks`
    await sendDigest({ ...optionOf(on.target), to })
    for (let id = 10; id < 50; id++) on.account.of('gala').push(responseItem(id))
    await on.sync({ all: true })
    await withCommandName('/home/ada/headcount.cjs', () => sendDigest({ ...optionOf(on.target), to }))
    expect(web.posted[1]?.body.text).toMatch(/and \d+ more: headcount query/)
    expect(JSON.stringify(web.posted[1]?.body)).not.toContain('/home/ada')
  })

  test('has the form of Slack where the address has it', async () => {
    await using on = await mirrored(stage)
    await using web = await startWebRecipient()
    on.account.add('fair', 0, {
      title: '<!channel> *Fair* & more',
      event_at: new Date(Date.now() + 86_400_000).toISOString(),
    })
    await on.sync({ all: true })
    await sendDigest({
      ...optionOf(on.target),
      to: `${web.origin}/services/T00000000/B00000000/abcDEF`,
      since: 1,
    })
    const [posted] = web.posted
    expect(posted?.body.text).toBe('headcount: 1 event announced')
    expect(posted?.body.blocks[0]).toMatchObject({ type: 'header', text: { type: 'plain_text' } })
    expect(JSON.stringify(posted?.body.blocks[1])).toContain(
      `{"type":"text","text":"<!channel> *Fair* & more, `,
    )
  })

  test.each([
    [404, {}, 'no_service', /404 no_service/],
    [302, { location: 'https://elsewhere.example/' }, '', /302 It leads elsewhere/],
    [503, { 'retry-after': '7200' }, 'busy', /503 busy/],
    [400, {}, `no${' '.repeat(1010)}`, /400 no \[secret\]/],
  ] as const)(
    'that is answered with %i is not accepted, and says why without the address',
    async (code, headers, body, why) => {
      await using on = await mirrored(stage)
      await using web = await startWebRecipient(() => ({
        status: code,
        headers,
        body: `${body} /hooks/s3cret`,
      }))
      const [delivery] = await sendDigest({ ...optionOf(on.target), to: `${web.origin}/hooks/s3cret` })
      expect(delivery).toMatchObject({ state: 'failed', error: expect.stringMatching(why) })
      expect(delivery?.error).not.toMatch(/s3c/)
      expect(web.posted).toHaveLength(1)
      if (code === 503)
        expect(Date.parse(delivery?.next_attempt_at ?? '') - Date.now()).toBeGreaterThan(7_000_000)
    },
  )

  test('that is refused in an answer that breaks off is refused all the same', async () => {
    await using on = await mirrored(stage)
    await using web = await startWebRecipient(() => ({ status: 404, body: 'no_service', breaksOff: true }))
    const [delivery] = await sendDigest({ ...optionOf(on.target), to: `${web.origin}/hooks/s3cret` })
    expect(delivery).toMatchObject({ state: 'failed', error: expect.stringMatching(/404 no_service$/) })
    expect(await on.query('select pending_run_id from headcount.deliveries')).toEqual([[null]])
  })
})
