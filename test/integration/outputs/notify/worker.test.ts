/** Digests and notices beside the runs of a worker. */
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { accountOf, responseItem, type Account } from '../../../support/accounts/account.ts'
import { commandStage, onBothCommandStages } from '../../../support/commands/command-stage.ts'
import { startServe, startWorker, type Process } from '../../../support/commands/process.ts'
import { change } from '../../../support/databases/older-schema.ts'
import { send } from '../../../support/http/fault-server.ts'
import { startSilentServer } from '../../../support/http/loopback.ts'
import { startMailServer } from '../../../support/outputs/notify/mail-server.ts'

const to = { HEADCOUNT_DIGEST_TO: 'mailto:ada@example.org', HEADCOUNT_MAIL_FROM: 'headcount@example.org' }
const everySecond = ['--schedule', '* * * * * *']
/** On a busy machine a run takes seconds: after two intervals without a good one, notices tell that the mirror is too old. */
const everyThirdSecond = ['--schedule', '*/3 * * * * *']
const runs = (worker: Process) => worker.log.filter(({ msg }) => msg.startsWith('sync succeeded')).length
/** A busy machine takes long for a run. */
const patience = { timeout: 100_000 }

function galaAccount(): Account {
  const account = accountOf({})
  account.add('gala', 3, { title: 'Gala', event_at: new Date(Date.now() + 7 * 86_400_000).toISOString() })
  return account
}

function notFound(socket: Socket): void {
  socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
}

async function stop(worker: Process): Promise<void> {
  worker.kill('SIGTERM')
  expect(await worker.ended).toMatchObject({ code: 0 })
}

onBothCommandStages('digests of a worker', (stage) => {
  test('are sent on their schedule, after the run of that moment, and tell what changed since', async () => {
    const account = galaAccount()
    await using on = await stage(account)
    await using server = await startMailServer()
    await using worker = startWorker(everySecond, {
      env: { ...on.env, ...to, HEADCOUNT_SMTP_URL: server.url, HEADCOUNT_DIGEST_SCHEDULE: '*/3 * * * * *' },
    })
    await expect.poll(() => server.received.length, patience).toBe(1)
    expect(server.received[0]?.mail.text).toMatch(/This is the first digest/)
    account.of('gala').push(responseItem(7, { name: 'Grace' }))
    await expect.poll(() => server.received.length, patience).toBe(2)
    expect(server.received[1]?.mail.text).toMatch(/Gala: Grace/)
    const before = runs(worker)
    await expect.poll(() => runs(worker), patience).toBeGreaterThan(before)
    expect(worker.log.filter(({ level }) => level === 'error')).toEqual([])
    await stop(worker)
    expect(server.received).toHaveLength(2)
  })
})

describe('digests of a worker', () => {
  test('to a server that accepts the connection and says nothing delay no run', async () => {
    await using on = await commandStage('postgres', galaAccount())
    await using silent = await startSilentServer()
    await using worker = startWorker(everySecond, {
      env: {
        ...on.env,
        ...to,
        HEADCOUNT_SMTP_URL: `smtp://127.0.0.1:${silent.port}`,
        HEADCOUNT_DIGEST_SCHEDULE: '* * * * * *',
      },
    })
    await expect.poll(silent.connections, patience).toBe(1)
    const before = runs(worker)
    await expect.poll(() => runs(worker), patience).toBeGreaterThanOrEqual(before + 3)
    // It gives up after ten seconds and tries again later; all is told.
    const failed = await worker.says('not accepted')
    expect(failed).toMatchObject({ level: 'warn', delivery: { state: 'failed' } })
    await stop(worker)
    const status = await on.run(['status'])
    expect(status.stdout).toMatch(/mailto:ada@example\.org.*failed once/)
  })
})

describe('digests of serve --sync', () => {
  test('are sent from the folder that it has open, and notices tell of its runs', async () => {
    const account = galaAccount()
    await using on = await commandStage('pglite', account)
    await using server = await startMailServer()
    await using serving = startServe(['--sync', ...everyThirdSecond], {
      env: {
        ...on.env,
        ...to,
        HEADCOUNT_NOTIFY_TO: 'mailto:ops@example.org',
        HEADCOUNT_SMTP_URL: server.url,
        HEADCOUNT_DIGEST_SCHEDULE: '*/3 * * * * *',
      },
    })
    await expect.poll(() => server.received.length, patience).toBe(1)
    expect(server.received[0]).toMatchObject({ to: ['ada@example.org'] })
    // Until it is noticed: the state is looked at every few seconds.
    const well = send((request) => account.answer(request))
    on.service.always((socket, request) => {
      if (!request.path.endsWith('/responses')) return well(socket, request)
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
    })
    await expect.poll(() => server.received.length, patience).toBeGreaterThanOrEqual(2)
    on.service.always(well)
    expect(server.received[1]).toMatchObject({ to: ['ops@example.org'] })
    // With a run every three seconds the mirror is too old after six.
    expect(server.received[1]?.mail.subject).toMatch(/the last run left something out|the mirror is too old/)
    await expect
      .poll(() => server.received.at(-1)?.mail.subject, patience)
      .toBe('headcount: runs succeed again')
    await stop(serving)
  })
})

describe('notices of a worker', () => {
  test('tell when the state of the mirror changes, once, also over a restart', async () => {
    const account = galaAccount()
    await using on = await commandStage('postgres', account)
    await using server = await startMailServer()
    const env = {
      ...on.env,
      HEADCOUNT_NOTIFY_TO: 'mailto:ops@example.org',
      HEADCOUNT_MAIL_FROM: 'headcount@example.org',
      HEADCOUNT_SMTP_URL: server.url,
    }
    const subjects = () => server.received.map(({ mail }) => mail.subject)
    const first = startWorker(everyThirdSecond, { env })
    await using _first = first
    await expect.poll(() => runs(first), patience).toBeGreaterThan(1)
    on.service.always(notFound)
    await expect.poll(() => subjects(), patience).toEqual(['headcount: the last run failed'])
    expect(server.received[0]?.mail.text).toMatch(/The last run: usage: .*404/s)
    await stop(first)

    await using second = startWorker(everyThirdSecond, { env })
    await expect.poll(() => second.stderr, patience).toMatch(/404/)
    expect((await second.ended).code).toBe(2)
    expect(subjects()).toHaveLength(1)

    on.service.always(send((request) => account.answer(request)))
    await using third = startWorker(everyThirdSecond, { env })
    await expect
      .poll(() => subjects(), patience)
      .toEqual(['headcount: the last run failed', 'headcount: runs succeed again'])
    // The same state again, within the hour, is not told.
    on.service.always(notFound)
    // Longer than it takes to look.
    await third.says('404', 4)
    await stop(third)
    expect(subjects()).toHaveLength(2)
  })

  test('tell that the mirror was moved, and the worker, or a sync, still names the former database', async () => {
    await using on = await commandStage('postgres', galaAccount())
    await using server = await startMailServer()
    const mail = { HEADCOUNT_MAIL_FROM: 'headcount@example.org', HEADCOUNT_SMTP_URL: server.url }
    const env = { ...on.env, ...mail, HEADCOUNT_NOTIFY_TO: 'mailto:ops@example.org' }
    await using worker = startWorker(everyThirdSecond, { env })
    await expect.poll(() => runs(worker), patience).toBeGreaterThan(1)
    await using database = await on.place.open()
    await change(database, [`insert into headcount.moved (moved_to) values ('the new database')`])
    await expect.poll(() => server.received.length, patience).toBe(1)
    await stop(worker)
    const ofSync = { ...mail, HEADCOUNT_NOTIFY_TO: 'mailto:cron@example.org' }
    expect(await on.run(['sync'], { env: ofSync })).toMatchObject({ code: 2 })
    expect(server.received.map(({ to }) => to)).toEqual([['ops@example.org'], ['cron@example.org']])
    for (const { mail } of server.received)
      expect(mail.text).toMatch(/This mirror was moved to the new\s+database/)
  })
})
