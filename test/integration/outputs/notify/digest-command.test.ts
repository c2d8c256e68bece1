/** `headcount digest` with a recipient: what it says, how it ends, and what it keeps to itself. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import { onBothCommandStages, onPostgresCommandStage } from '../../../support/commands/command-stage.ts'
import { send } from '../../../support/http/fault-server.ts'
import { startServe, urlOf } from '../../../support/commands/process.ts'
import { connect } from '../../../../src/db/connect.ts'
import { countLockWaits } from '../../../support/databases/locks.ts'
import { startSilentServer } from '../../../support/http/loopback.ts'
import { startMailServer } from '../../../support/outputs/notify/mail-server.ts'
import { startWebRecipient } from '../../../support/outputs/notify/web-recipient.ts'

const ADA = 'mailto:ada@example.org'

function galaAccount() {
  const account = accountOf({})
  account.add('gala', 3, { title: 'Gala', event_at: new Date(Date.now() + 7 * 86_400_000).toISOString() })
  return account
}

onPostgresCommandStage('digest --since last', (stage) => {
  test('on stdout goes on where the last one ended', async () => {
    const account = galaAccount()
    await using on = await stage(account)
    await on.run(['sync', '--quiet'])
    const call = ['digest', '--since', 'last']
    expect((await on.run(call)).stdout).toMatch(/This is the first digest/)
    expect(await on.run(call)).toMatchObject({ code: 0, stdout: '' })
    account.of('gala').push(responseItem(7, { name: 'Grace' }))
    await on.run(['sync', '--quiet'])
    const told = await on.run([...call, '--json'])
    expect(JSON.parse(told.stdout)).toMatchObject({
      is_news: true,
      accounts: [{ responses_new: { total: '1' } }],
    })
    expect(JSON.parse((await on.run([...call, '--json'])).stdout)).toMatchObject({ is_news: false })
    expect((await on.run([...call, '--name', 'second'])).stdout).toMatch(/This is the first digest/)
  })

  test('that a signal ends leaves nothing claimed: the next one sends it at once', async () => {
    await using on = await stage(galaAccount())
    await on.run(['sync', '--quiet'])
    await using silent = await startSilentServer()
    const to = Array.from({ length: 30 }, (_, at) => `mailto:a${at}@example.org`).join(' ')
    const ran = await on.run(['digest', '--since', 'last', '--to', to], {
      env: {
        HEADCOUNT_SMTP_URL: `smtp://127.0.0.1:${silent.port}`,
        HEADCOUNT_MAIL_FROM: 'headcount@example.org',
      },
      meanwhile: async (child) => {
        await expect.poll(silent.connections, { timeout: 20_000 }).toBe(4)
        child.kill('SIGTERM')
      },
    })
    expect(ran.code).toBe(143)
    const claims = 'select count(*) as deliveries, count(claim) as claims from deliveries'
    expect((await on.run(['query', claims])).stdout).toBe('deliveries,claims\n30,0\n')
  })

  test('that is refused ends with exit 1, names why, and shows no secret', async () => {
    await using on = await stage(galaAccount())
    await on.run(['sync', '--quiet'])
    await using web = await startWebRecipient(() => ({ status: 403, body: 'invalid_token hook-s3cret' }))
    await using server = await startMailServer({
      disabledCommands: ['STARTTLS'],
      authOptional: false,
      onAuth: ({ password }, _session, callback) => callback(new Error(`wrong password ${password}`)),
    })
    const file = join(mkdtempSync(join(tmpdir(), 'digest-')), 'to')
    writeFileSync(file, `${ADA}\n${web.origin}/hook-s3cret\n`)
    const env = {
      HEADCOUNT_SMTP_URL: `smtp://me:pass-s3cret@127.0.0.1:${server.port}`,
      HEADCOUNT_MAIL_FROM: 'headcount@example.org',
      HEADCOUNT_DIGEST_TO_FILE: file,
      HEADCOUNT_LOG_LEVEL: 'debug',
    }
    const ran = await on.run(['digest', '--since', 'last', '--send', '--json'], { env })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(/to mailto:ada@example\.org: not accepted: .*wrong password \[secret\]/)
    expect(ran.stderr).toMatch(
      /to http:\/\/127\.0\.0\.1:\d+\/… \([0-9a-f]{8}\): not accepted: 127\.0\.0\.1:\d+: 403 invalid_token/,
    )
    expect(JSON.parse(ran.stdout)).toMatchObject({ deliveries: [{ state: 'failed' }, { state: 'failed' }] })
    const status = await on.run(['status'], { env })
    expect(status.stdout).toMatch(/told +2 recipients, 2 not reached/)
    expect(`${ran.stdout}${ran.stderr}${status.stdout}${status.stderr}`).not.toMatch(/s3cret/)
    expect(`${ran.stdout}${ran.stderr}`).not.toContain(Buffer.from('\0me\0pass-s3cret').toString('base64'))
  })

  test.each([
    [['--to', 'ada@example.org'], /must be mailto:ada@example\.org/],
    [['--to', 'http://hooks.example.org/s3cret'], /must begin with https:\/\//],
    [['--to', 'mailto:ada'], /like mailto:ada@example\.org, not "ada"/],
    [['--to', 'mailto:ada@example.org?subject=x'], /without a subject/],
    [['--to', ADA], /HEADCOUNT_SMTP_URL is not set/],
    [['--send'], /HEADCOUNT_DIGEST_TO/],
    [['--to', 'stdout', '--send'], /--to <where> and --send exclude each other/],
    [['--to', 'somewhere'], /must be stdout, mailto:/],
    [['--since', 'lest'], /must be last, yesterday/],
    [['--name', 'x'], /--name goes with --since last/],
  ])('%j is a wrong call', async (args, message) => {
    await using on = await stage(galaAccount())
    const ran = await on.run(['digest', ...args])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toMatch(message)
    expect(ran.stderr).not.toMatch(/s3cret/)
  })

  test('settings that do not go together are named at once', async () => {
    await using on = await stage(galaAccount())
    const faulty = {
      HEADCOUNT_SMTP_URL: 'smtp://me@host',
      HEADCOUNT_MAIL_FROM: 'nobody',
      HEADCOUNT_DIGEST_TO: 'x',
    }
    const all = await on.run(['status'], { env: faulty })
    expect(all.code).toBe(2)
    expect(all.stderr).toMatch(/HEADCOUNT_SMTP_URL must have a user and a password/)
    expect(all.stderr).toMatch(/HEADCOUNT_MAIL_FROM must be a mail address/)
    expect(all.stderr).toMatch(/HEADCOUNT_DIGEST_TO must be mailto:/)
    const missing = await on.run(['status'], {
      env: { HEADCOUNT_NOTIFY_TO: ADA, HEADCOUNT_SMTP_URL: 'smtp://host' },
    })
    expect(missing.stderr).toMatch(/HEADCOUNT_MAIL_FROM is not set, and mail is to be sent/)
    const idle = await on.run(['status'], { env: { HEADCOUNT_DIGEST_SCHEDULE: '0 7 * * *' } })
    expect(idle.stderr).toMatch(/HEADCOUNT_DIGEST_SCHEDULE has nobody to tell/)
  })

  test('of sync a notice tells when the state changes', async () => {
    const account = galaAccount()
    await using on = await stage(account)
    await using web = await startWebRecipient()
    const env = { HEADCOUNT_NOTIFY_TO: `${web.origin}/hook-s3cret` }
    expect((await on.run(['sync'], { env })).code).toBe(0)
    expect(web.posted).toEqual([])
    on.service.at('/events/gala/responses', (socket) => {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
    })
    expect((await on.run(['sync', '--all'], { env })).code).toBe(6)
    expect(web.posted.map(({ body }) => [body.subject, body.type, body.state])).toEqual([
      ['headcount: the last run left something out', 'notice', 'partial'],
    ])
    // What an error says may quote somebody.
    expect(web.posted[0]?.body.text).toMatch(
      /^default: the last run left something out\n\nSee .* status\.\n$/,
    )
    expect((await on.run(['sync'], { env })).code).toBe(0)
    expect(web.posted.map(({ body }) => body.state)).toEqual(['partial', 'good'])
    // Another error is another reason, however soon it follows; the same one is told once.
    const ends: (number | null)[] = []
    for (const [path, response] of [
      ['/events', 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>'],
      ['/ping', 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n'],
      ['/ping', 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n'],
    ] as const) {
      on.service.at(path, (socket) => void socket.end(response))
      ends.push((await on.run(['sync'], { env })).code)
    }
    expect(ends).toEqual([7, 3, 3])
    expect(web.posted.map(({ body }) => body.state)).toEqual(['partial', 'good', 'failed', 'failed'])
  })

  test('of sync a notice that may have been accepted is followed by the one that all is well', async () => {
    await using on = await stage(galaAccount())
    await using web = await startWebRecipient(({ body }) =>
      body.state === 'partial' ? 'hang up' : { status: 200 },
    )
    const env = { HEADCOUNT_NOTIFY_TO: `${web.origin}/hook-s3cret` }
    on.service.at('/events/gala/responses', send({ status: 403 }))
    expect((await on.run(['sync'], { env })).code).toBe(6)
    {
      // Nobody waits here until the next attempt is due.
      await using database = await connect(on.place.url)
      await database.transaction((trx) =>
        trx.query(`update headcount.deliveries set next_attempt_at = now()`),
      )
    }
    expect((await on.run(['sync'], { env })).code).toBe(0)
    expect((await on.run(['sync'], { env })).code).toBe(0)
    expect(web.posted.map(({ body }) => body.state)).toEqual(['partial', 'good'])
  })

  test('of sync a notice that was refused has no next attempt once all is well', async () => {
    await using on = await stage(galaAccount())
    await using web = await startWebRecipient(() => ({ status: 503 }))
    const env = { HEADCOUNT_NOTIFY_TO: `${web.origin}/hook-s3cret` }
    on.service.at('/events/gala/responses', send({ status: 403 }))
    expect((await on.run(['sync'], { env })).code).toBe(6)
    expect((await on.run(['status'])).stdout).toMatch(/notice to .*: failed once, next attempt /)
    expect((await on.run(['sync'], { env })).code).toBe(0)
    expect((await on.run(['status'])).stdout).toMatch(/notice to .*: failed once: .*503/)
    expect(web.posted).toHaveLength(1)
  })

  test.each(['--since 1d', '--since last', `--since last --to ${ADA}`])(
    '%s of an account that is half removed says so',
    async (args) => {
      await using on = await stage(galaAccount())
      await on.run(['sync', '--quiet'])
      {
        await using database = await connect(on.place.url)
        await database.transaction((trx) =>
          trx.query('update headcount.accounts set _removing_since = now()'),
        )
      }
      const env = { HEADCOUNT_SMTP_URL: 'smtp://localhost:1', HEADCOUNT_MAIL_FROM: 'headcount@example.org' }
      for (const named of [[], ['--account', 'default']]) {
        const ran = await on.run(['digest', ...args.split(' '), ...named], { env })
        expect(ran).toMatchObject({ code: 5, stdout: '' })
        expect(ran.stderr).toMatch(/Account default is half removed since .*accounts remove default/)
      }
    },
  )

  test('is sent again with the same Message-ID when the process was killed between acceptance and cursor', async () => {
    await using on = await stage(galaAccount())
    await on.run(['sync', '--quiet'])
    const accepting = Promise.withResolvers<void>()
    const killed = Promise.withResolvers<void>()
    await using server = await startMailServer({
      beforeAcceptance: async () => {
        accepting.resolve()
        await killed.promise
      },
    })
    const env = { HEADCOUNT_SMTP_URL: server.url, HEADCOUNT_MAIL_FROM: 'headcount@example.org' }
    const call = ['digest', '--since', 'last', '--to', ADA]
    await on.run(call, {
      env,
      meanwhile: async (child) => {
        await accepting.promise
        child.kill('SIGKILL')
        killed.resolve()
      },
    })
    {
      // Nobody waits here until the claim of the dead process has ended by itself.
      await using database = await connect(on.place.url)
      await database.transaction((trx) => trx.query(`update headcount.deliveries set claimed_until = now()`))
    }
    const again = await on.run(call, { env })
    expect(again).toMatchObject({ code: 0, stdout: '' })
    expect(again.stderr).toMatch(/Digest of account default to mailto:ada@example\.org: accepted/)
    const ids = server.received.map(({ mail }) => mail.messageId)
    expect(ids).toEqual([ids[0], ids[0]])
    const nothing = await on.run([...call, '--quiet'], { env })
    expect(nothing).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(server.received).toHaveLength(2)
  })
})

onPostgresCommandStage('digest --since last of two processes at once', (stage) => {
  test('is sent by one: a claim that was stored while the other one waited for the row is a claim', async () => {
    await using on = await stage(galaAccount())
    await using web = await startWebRecipient()
    await on.run(['sync', '--quiet'])
    const call = ['digest', '--since', 'last', '--to', `${web.origin}/hook-s3cret`]
    expect((await on.run(call)).code).toBe(0)
    await using database = await on.place.open()
    const locked = Promise.withResolvers<void>()
    const claimed = database.transaction(async (trx) => {
      await trx.query('select from headcount.deliveries for update')
      locked.resolve()
      await expect.poll(() => countLockWaits(database), { timeout: 20_000 }).toBe(1)
      await trx.query(
        `update headcount.deliveries set claim = gen_random_uuid(), claimed_until = clock_timestamp() + interval '15 minutes'`,
      )
    })
    await locked.promise
    const [second] = await Promise.all([on.run(call), claimed])
    expect(second.stderr).toContain('another process')
    expect(web.posted).toHaveLength(1)
  })
})

onPostgresCommandStage('after a clock of the database that was ahead was set right', (stage) => {
  const soon = `now() + interval '1 year'`
  test.each([
    ['told', `told = (select jsonb_object_agg(key, to_jsonb(${soon})) from jsonb_each(told))`],
    [
      'tried',
      `told = '{}', failures = 1, failed_at = ${soon}, next_attempt_at = ${soon} + interval '1 hour'`,
    ],
    ['begun', `told = '{}', claim = gen_random_uuid(), claimed_until = ${soon}`],
  ])('a notice that was %s in the future does not silence the next one', async (_, assignments) => {
    await using on = await stage(galaAccount())
    await using web = await startWebRecipient()
    const env = { HEADCOUNT_NOTIFY_TO: `${web.origin}/hook-s3cret` }
    const sync = async (status: number) => {
      if (status !== 200) on.service.at('/events/gala/responses', send({ status }))
      await on.run(['sync', '--all'], { env })
      return web.posted.map(({ body }) => body.state)
    }
    await sync(200)
    await sync(403)
    expect(await sync(200)).toEqual(['partial', 'good'])
    await using database = await on.place.open()
    await database.transaction((trx) => trx.query(`update headcount.deliveries set ${assignments}`))
    expect(await sync(403)).toEqual(['partial', 'good', 'partial'])
  })
})

onBothCommandStages('digest --since last to several recipients', (stage) => {
  test('opens a folder once at a time, and never waits for itself', async () => {
    await using on = await stage(galaAccount())
    await on.run(['sync', '--quiet'])
    await using server = await startMailServer()
    const env = { HEADCOUNT_SMTP_URL: server.url, HEADCOUNT_MAIL_FROM: 'headcount@example.org' }
    const to = 'mailto:ada@example.org,bob@example.org,eve@example.org'
    const ran = await on.run(['digest', '--since', 'last', '--to', to], { env })
    expect(ran.code).toBe(0)
    const accepted = /^(?:Digest of account default to mailto:(?:ada|bob|eve)@example\.org: accepted\n){3}$/
    expect(ran.stderr).toMatch(accepted)
  })
})

onBothCommandStages('digest --since last beside serve', (stage) => {
  test('goes through the process that has the folder open', async () => {
    await using on = await stage(galaAccount())
    await on.run(['sync', '--quiet'])
    await using server = await startMailServer()
    await using serving = startServe([], { env: on.env })
    await urlOf(serving)
    const env = { HEADCOUNT_SMTP_URL: server.url, HEADCOUNT_MAIL_FROM: 'headcount@example.org' }
    expect((await on.run(['digest', '--since', 'last'])).stdout).toMatch(/This is the first digest/)
    expect((await on.run(['digest', '--since', 'last', '--to', ADA], { env })).code).toBe(0)
    expect((await on.run(['digest', '--since', 'last', '--to', ADA], { env })).stderr).toMatch(/nothing new/)
    expect(server.received).toHaveLength(1)
  })
})
