/** Processes that run for long while the password of their role is changed: a file with the database URL is read anew. */
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { commandStage, type CommandStage } from '../../../support/commands/command-stage.ts'
import { startServe, startWorker, urlOf } from '../../../support/commands/process.ts'
import { onServer } from '../../../support/databases/databases.ts'
import { accountsFolder, type AccountsFolder } from '../../../support/files/accounts-folder.ts'
import { testKey } from '../../../support/http/reading.ts'

interface Role {
  readonly env: Readonly<Record<string, string>>
  readonly folder: AccountsFolder
  /** Every connection is made anew, with the password that the file has now. */
  readonly change: () => Promise<void>
}

async function roleOf(stage: CommandStage): Promise<Role> {
  const name = `changed_${randomUUID().slice(0, 8)}`
  const folder = accountsFolder()
  const url = new URL(stage.place.url)
  url.username = name
  url.password = 'former-password'
  const write = () => folder.write('database_url', `${url.href}\n`)
  await onServer(`create role ${name} superuser login password 'former-password'`)
  onTestFinished(() => onServer(`drop role ${name}`))
  return {
    env: { HEADCOUNT_BASE_URL: stage.service.baseUrl.href, DATABASE_URL_FILE: write() },
    folder,
    change: async () => {
      url.password = 'new-password'
      await onServer(`alter role ${name} password 'new-password'`)
      write()
      await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${name}'`)
    },
  }
}

/** With somebody to tell of each run, for whom the database is asked, too. */
const everySecond = { HEADCOUNT_SCHEDULE: '* * * * * *', HEADCOUNT_NOTIFY_TO: 'https://localhost:9/' }

test.each([
  ['worker', [], () => ({ HEADCOUNT_API_KEY: testKey })],
  ['worker --queue', ['--queue'], () => ({ HEADCOUNT_API_KEY: testKey })],
  [
    'worker of many accounts',
    [],
    (folder: AccountsFolder) => {
      folder.write('key', testKey)
      folder.write('accounts.yaml', 'accounts:\n  - name: choir\n    key_file: key\n')
      return { HEADCOUNT_ACCOUNTS_FILE: folder.file }
    },
  ],
] as const)(
  '%s goes on with the new password of DATABASE_URL_FILE',
  { timeout: 120_000 },
  async (_, args, settings) => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const { env, folder, change } = await roleOf(s)
    await using worker = startWorker(args, { env: { ...env, ...settings(folder), ...everySecond } })
    const runs = async () => {
      await using database = await s.place.open()
      const { rows } = await database.transaction(async (trx) =>
        trx.query(`select count(*) from headcount.sync_runs where status = 'succeeded'`),
      )
      return Number(rows[0]?.[0])
    }
    await expect.poll(() => runs().catch(() => 0), { timeout: 30_000 }).toBeGreaterThan(0)
    await change()
    const before = await runs()
    await expect.poll(runs, { timeout: 30_000 }).toBeGreaterThan(before + 1)
    expect(worker.stderr).not.toContain('-password')
    expect(worker.stderr).not.toContain('password authentication failed')
  },
)

test('serve goes on with the new password of DATABASE_URL_FILE', { timeout: 60_000 }, async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  await s.run(['sync', '-q'])
  const key = (await s.run(['keys', 'create'])).stdout.trim()
  const { env, change } = await roleOf(s)
  await using served = startServe([], { env })
  const url = await urlOf(served)
  await change()
  const statusOfList = async () => (await fetch(`${url}/events`, { headers: { 'X-API-Key': key } })).status
  await expect.poll(statusOfList, { timeout: 20_000 }).toBe(200)
})
