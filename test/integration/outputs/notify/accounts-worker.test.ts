/** What a worker over an accounts file tells beside its runs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { headcount } from '../../../support/commands/command.ts'
import { startWorker } from '../../../support/commands/process.ts'
import { freshPlace } from '../../../support/databases/databases.ts'
import { startMailServer } from '../../../support/outputs/notify/mail-server.ts'
import { keyOf, smallAccounts, startPooledService } from '../../../support/runs/pool-stage.ts'

const patience = { timeout: 100_000 }

/** A worker over three accounts, which tells at each third second, and the mail that came. */
async function telling(args: readonly string[] = [], before: readonly string[] | null = null) {
  const service = await startPooledService(smallAccounts(3, 'a'))
  onTestFinished(() => service[Symbol.asyncDispose]())
  const place = await freshPlace('postgres')
  onTestFinished(() => place[Symbol.asyncDispose]())
  const folder = await mkdtemp(join(tmpdir(), 'headcount-test-accounts-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const name of service.accounts.keys())
    await writeFile(join(folder, `${name}.key`), keyOf(name), { mode: 0o600 })
  const server = await startMailServer()
  onTestFinished(() => server[Symbol.asyncDispose]())
  const env = {
    HEADCOUNT_KEYS_DIR: folder,
    HEADCOUNT_BASE_URL: service.server.baseUrl.href,
    DATABASE_URL: place.url,
  }
  if (before !== null) expect((await headcount(before, { env })).code).toBe(0)
  // With a run each second the mirrors are too old after two, which a busy machine needs, and notices tell that.
  const worker = startWorker(['--schedule', '*/3 * * * * *', ...args], {
    env: {
      ...env,
      HEADCOUNT_NOTIFY_TO: 'mailto:ops@example.org',
      HEADCOUNT_DIGEST_TO: 'mailto:ada@example.org',
      HEADCOUNT_DIGEST_SCHEDULE: '*/3 * * * * *',
      HEADCOUNT_MAIL_FROM: 'headcount@example.org',
      HEADCOUNT_SMTP_URL: server.url,
    },
  })
  onTestFinished(() => worker[Symbol.asyncDispose]())
  const mailsTo = (recipient: string) =>
    server.received.map(({ mail }) => mail).filter((mail) => JSON.stringify(mail.to).includes(recipient))
  return { service, worker, mailsTo }
}

test('notices tell of the account that fails, and digests of each account that has news', async () => {
  const { service, worker, mailsTo } = await telling()
  await expect.poll(() => mailsTo('ada@').length, patience).toBe(3)
  for (const name of service.accounts.keys())
    expect(
      mailsTo('ada@')
        .map(({ text }) => text)
        .join(),
    ).toContain(name)
  expect(mailsTo('ops@')).toEqual([])
  const failing = service.accounts.get('a1')
  if (failing === undefined) throw new Error('there is an account a1')
  // From the beginning of a run on: one that has its list of events leaves something out, and does not fail.
  const answer = failing.answer.bind(failing)
  failing.answer = (request) => {
    if (request.path.endsWith('/ping')) failing.keys = ['another-key']
    return answer(request)
  }
  await expect.poll(() => mailsTo('ops@').length, patience).toBe(1)
  expect(mailsTo('ops@')[0]?.subject).toContain('the last run failed')
  expect(mailsTo('ops@')[0]?.text).toContain('a1')
  failing.answer = answer
  failing.keys = [keyOf('a1')]
  await expect.poll(() => mailsTo('ops@').length, patience).toBe(2)
  expect(mailsTo('ops@')[1]?.subject).toContain('runs succeed again')
  worker.kill('SIGTERM')
  expect((await worker.ended).code).toBe(0)
})

test('a worker that keeps to one account of several sends the digests of that one', async () => {
  const { worker, mailsTo } = await telling(['--account', 'a1'], ['sync'])
  await expect.poll(() => mailsTo('ada@').length, patience).toBeGreaterThanOrEqual(1)
  await worker.says('account a1: sync succeeded', 5)
  worker.kill('SIGTERM')
  expect((await worker.ended).code).toBe(0)
  expect(mailsTo('ada@').map(({ subject }) => subject)).toEqual([expect.stringContaining('a1')])
})
