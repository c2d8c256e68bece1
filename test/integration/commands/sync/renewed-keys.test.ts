/** Processes that run for long while a key is renewed: its file is read before each run. */
import { expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { stageOf, type CommandStage } from '../../../support/commands/command-stage.ts'
import { startServe, startWorker } from '../../../support/commands/process.ts'
import { accountsFolder } from '../../../support/files/accounts-folder.ts'
import type { SeenRequest } from '../../../support/http/fault-server.ts'

const everySecond = { HEADCOUNT_SCHEDULE: '* * * * * *' }

async function runsOf(s: CommandStage): Promise<number> {
  await using database = await s.place.open()
  const { rows } = await database.transaction((trx) =>
    trx.query(`select count(*) from headcount.sync_runs where mode = 'sync' and status = 'succeeded'`),
  )
  return Number(rows[0]?.[0])
}

async function expectFurtherRuns(s: CommandStage): Promise<void> {
  const before = await runsOf(s)
  await expect.poll(() => runsOf(s), { timeout: 30_000 }).toBeGreaterThan(before + 1)
}

/** A service that knows two keys of the account. */
async function keyedStage(variables: CommandStage['env']) {
  const account = accountOf({ gala: 3 })
  account.keys = ['canary-former', 'canary-renewed']
  const seen = new Set<unknown>()
  const answering = (request: SeenRequest) => {
    seen.add(request.headers['x-api-key'])
    return account.answer(request)
  }
  return { account, seen, s: await stageOf('postgres', answering, { ...variables, ...everySecond }) }
}

test.each([
  ['worker', startWorker, []],
  ['worker --queue', startWorker, ['--queue']],
  ['serve --sync', startServe, ['--sync']],
] as const)(
  '%s goes on with the new key of HEADCOUNT_API_KEY_FILE',
  { timeout: 90_000 },
  async (_, start, args) => {
    const folder = accountsFolder()
    const {
      account,
      seen,
      s: stage,
    } = await keyedStage({
      HEADCOUNT_API_KEY_FILE: folder.write('api.key', 'canary-former\n'),
    })
    await using s = stage
    await s.run(['sync', '-q'])
    await using process = start(args, { env: s.env })
    await expectFurtherRuns(s)
    folder.write('api.key', 'canary-renewed\n')
    await expect.poll(() => seen.has('canary-renewed'), { timeout: 20_000 }).toBe(true)
    account.keys = ['canary-renewed']
    await expectFurtherRuns(s)
    expect(process.stderr).not.toContain('canary')
  },
)

test(
  'serve --sync goes on with the former key of an account that its file has no longer',
  { timeout: 90_000 },
  async () => {
    const folder = accountsFolder()
    folder.write('api.key', 'canary-former\n')
    folder.write('accounts.yaml', 'accounts:\n  - name: choir\n    key_file: api.key\n')
    const { s: stage } = await keyedStage({
      HEADCOUNT_ACCOUNTS_FILE: folder.file,
      HEADCOUNT_ACCOUNT: 'choir',
    })
    await using s = stage
    await s.run(['sync', '-q'])
    await using process = startServe(['--sync'], { env: s.env })
    await expectFurtherRuns(s)
    folder.write('accounts.yaml', 'accounts:\n  - name: band\n    key_file: api.key\n')
    await process.says('the settings cannot be read again')
    await expectFurtherRuns(s)
  },
)

test.each([
  ['worker --queue', { HEADCOUNT_QUEUE: '1' }],
  ['worker of many accounts', {}],
] as const)(
  '%s goes on with the new key of the suppression list after the former one was lost',
  { timeout: 90_000 },
  async (_, settings) => {
    const folder = accountsFolder()
    folder.write('accounts.yaml', 'accounts:\n  - name: default\n    key_file: api.key\n')
    const apiKey = folder.write('api.key', 'canary-former\n')
    const source =
      'HEADCOUNT_QUEUE' in settings
        ? { HEADCOUNT_API_KEY_FILE: apiKey }
        : { HEADCOUNT_ACCOUNTS_FILE: folder.file }
    const { s: stage } = await keyedStage({
      ...source,
      ...settings,
      HEADCOUNT_PERSON_KEY_FILE: folder.write('person.key', 'former'.repeat(8)),
    })
    await using s = stage
    await s.run(['sync', '-q'])
    const erase = ['person', 'erase', '--yes', '--no-vacuum']
    expect(await s.run([...erase, 'ada@example.org'])).toMatchObject({ code: 0 })
    await using _worker = startWorker([], { env: s.env })
    await expectFurtherRuns(s)
    folder.write('person.key', 'renewed'.repeat(8))
    await expect
      .poll(async () => (await s.run([...erase, '--replace-key', 'bob@example.org'])).code, {
        timeout: 20_000,
      })
      .toBe(0)
    await expectFurtherRuns(s)
  },
)
