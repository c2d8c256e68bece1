import tls from 'node:tls'
import { expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { selfSigned } from '../../../support/http/certificate.ts'
import {
  closeBeforeHeaders,
  closedPort,
  cutShort,
  oneByteSlices,
  resetBeforeHeaders,
  resetInBody,
  send,
  silence,
  startFaultServer,
  withoutLastChunk,
} from '../../../support/http/fault-server.ts'
import type { Step } from '../../../support/http/fault-server.ts'
import { onBothStages, onPostgresStage } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

/** The live tables, history and digests. */
function kept({ mirror }: Stage): unknown {
  const { rows, states } = mirror
  const digests = [...states].map(([id, { digest }]) => [id, digest])
  return [rows('events'), rows('responses'), rows('event_history'), rows('response_history'), digests]
}

onPostgresStage('a service that cannot be had at all: exit 4, and everything is kept', (stage) => {
  async function expectUnreachable(
    baseUrl: string,
    message: RegExp,
    limits: { readonly requestTimeoutMs?: number } = {},
  ): Promise<void> {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    const before = kept(on)
    on.account.of('gala').pop()
    const { exit, status, error, report } = await on.sync({ baseUrl, ...limits })
    expect({ exit, status, errors: report.errors }).toMatchObject({
      exit: 4,
      status: 'failed',
      errors: [{ event_id: null, code: error?.code }],
    })
    expect(error?.message).toMatch(message)
    expect(kept(on)).toEqual(before)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  }

  test('N1 its name is not resolved', async () => {
    await expectUnreachable('https://no-such-host.invalid/api/v1', /no-such-host\.invalid.*DNS/)
  })

  test('N2 the connection is refused', async () => {
    const address = `127.0.0.1:${await closedPort()}`
    await expectUnreachable(`http://${address}/api/v1`, new RegExp(`${address} refused the connection`))
  })

  test('N3 the connection hangs', async () => {
    await using mute = await startFaultServer()
    mute.always(silence)
    const url = mute.baseUrl.href.replace('http:', 'https:')
    await expectUnreachable(url, /in time|within 0\.2 s/, { requestTimeoutMs: 200 })
  })

  test.each([
    ['its certificate is for another name', { dnsNames: ['other.example'] }, /another name/],
    [
      'its certificate has expired',
      { to: new Date(Date.now() - 1000), ipAddresses: ['127.0.0.1'] },
      /expired/,
    ],
  ])('N4 %s', async (_, options, message) => {
    const certificate = selfSigned(options)
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate.cert])
    await using server = await startFaultServer({ tls: certificate })
    await expectUnreachable(server.baseUrl.href, message)
    expect(server.requests).toEqual([])
  })
})

const faults: readonly [string, (on: Stage) => Step][] = [
  ['N5 reset before headers', () => resetBeforeHeaders],
  ['N6 reset in the body', (on) => send((request) => on.account.answer(request), resetInBody)],
  ['N7 headers never come', () => silence],
  ['N10 body cut short of Content-Length', (on) => send((request) => on.account.answer(request), cutShort)],
  [
    'N11 chunked body without its last chunk',
    (on) => send((request) => on.account.answer(request), withoutLastChunk),
  ],
]

/** So short that a test can wait for it; yet no good answer is late, however busy the machine is. @param ms what a run takes now */
const shortly = (ms: number) => ({ requestTimeoutMs: 500 + 2 * ms })

/** Every try of a request, and more. */
const TRIES = 4

function always(on: Stage, path: string, fault: (on: Stage) => Step): void {
  on.service.at(path, ...Array.from({ length: TRIES }, () => fault(on)))
}

onPostgresStage('a broken answer to /ping or /events: exit 4, and everything is kept', (stage) => {
  test.each(faults)('%s', async (_, fault) => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    const { ms } = await on.sync()
    const before = kept(on)
    on.account.of('gala').pop()
    on.account.add('ball', 1)
    for (const path of ['/ping', '/events']) {
      always(on, path, fault)
      const { exit, report } = await on.sync(shortly(ms))
      expect({ exit, status: report.status }).toEqual({ exit: 4, status: 'failed' })
      expect(report).toMatchObject({ retries: 2, errors: [{ event_id: null, code: 'unreachable' }] })
      expect(kept(on)).toEqual(before)
      on.service.at(path)
    }
    // Once is no matter.
    on.service.at('/events', fault(on))
    expect(await on.sync(shortly(ms))).toMatchObject({ exit: 0, report: { retries: 1 } })
    on.expectMirrored()
  })
})

async function expectPartial(on: Stage, fault: (on: Stage) => Step): Promise<void> {
  Object.assign(on.account.events[0] ?? {}, { event_at: '2024-01-01T00:00:00Z' })
  const { ms } = await on.sync()
  const before = on.mirror.rows('responses').filter((row) => row.includes('"gala"'))
  const digest = on.mirror.states.get('gala')?.digest
  on.account.of('gala').pop()
  on.account.of('picnic').pop()
  always(on, '/events/gala/responses', fault)
  const { exit, report } = await on.sync({ all: true, ...shortly(ms) })
  expect({ exit, status: report.status, failed: report.events.failed }).toEqual({
    exit: 6,
    status: 'partial',
    failed: 1,
  })
  expect(report.errors).toMatchObject([{ event_id: 'gala', code: 'unreachable' }])
  expect(on.mirror.rows('responses').filter((row) => row.includes('"gala"'))).toEqual(before)
  expect(on.mirror.states.get('gala')).toMatchObject({ digest, error_code: 'unreachable' })
  expect(report.rows.responses.deleted).toBe(1)
  on.service.at('/events/gala/responses')
  // Old as it is, it is due again at once, and read first.
  const seen = on.service.requests.length
  expect(await on.sync({ concurrency: 1 })).toMatchObject({ exit: 0, report: { events: { due: 2 } } })
  const paths = on.service.requests.slice(seen).map(({ path }) => path)
  expect(paths[2]).toBe('/api/v1/events/gala/responses')
  on.expectMirrored()
}

onPostgresStage(
  'a broken answer for one event: partial, its rows are kept, and it is due next run',
  (stage) => {
    test.each(faults)('%s', async (_, fault) => {
      await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
      await expectPartial(on, fault)
    })
  },
)

onBothStages('a broken answer, on both engines', (stage) => {
  test('N6 reset in the body of one list: partial, its rows are kept, and it is due next run', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await expectPartial(on, () => send((request) => on.account.answer(request), resetInBody))
  })
})

onPostgresStage('an odd but whole answer', (stage) => {
  test('N9 closed by the peer at reuse: the request is sent again', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    on.service.at('/events/gala/responses', closeBeforeHeaders)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { retries: 1 } })
    on.expectMirrored()
  })

  test('N12 one-byte chunks that split UTF-8 characters: the same rows as whole', async () => {
    await using on = await stage(accountOf({ gala: 2 }))
    on.account.of('gala').push({ id: 3, name: 'Zoë 日本語 👩‍👩‍👧', message: 'ß\n"\\u0041"' })
    on.service.always(send((request) => on.account.answer(request), oneByteSlices))
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
    const digest = on.mirror.states.get('gala')?.digest
    on.service.always(send((request) => on.account.answer(request)))
    expect(await on.sync()).toMatchObject({ exit: 0, report: { events: { unchanged: 1 } } })
    expect(on.mirror.states.get('gala')?.digest).toBe(digest)
  })
})
