/** A database URL without a password: the one that psql takes. */
import { chmod } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { commandStage } from '../../../support/commands/command-stage.ts'
import { freshPlace, onServer } from '../../../support/databases/databases.ts'
import { accountsFolder } from '../../../support/files/accounts-folder.ts'

const PASSWORD = String.raw`p:a\s@s w%40rd`

test('is that of PGPASSWORD or of the password file, as psql takes them, and is not shown', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  await using empty = await freshPlace('postgres', { blank: true })
  const url = new URL(s.place.url)
  const name = url.pathname.slice(1)
  const role = `psql_${name}`.slice(0, 63)
  await onServer(`create role "${role}" superuser login password '${PASSWORD}'`)
  onTestFinished(() => onServer(`drop role "${role}"`))
  Object.assign(url, { username: role, password: '' })
  const folder = accountsFolder()
  const escaped = PASSWORD.replaceAll(/[\\:]/g, String.raw`\$&`)
  const line = (user: string, password: string) => `${url.hostname}:*:${name}:${user}:${password}\n`
  const PGPASSFILE = folder.write('pgpass', `# of two\n${line('other', 'wrong')}${line(role, escaped)}`)
  await chmod(PGPASSFILE, 0o600)
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    s.run(args, { env: { HOME: folder.path, DATABASE_URL: url.href, ...env } })

  const none = await run(['sync'])
  expect(none).toMatchObject({ code: 5, stdout: '' })
  expect(none.stderr).toContain('the server asks for a password, and the database URL has none: write')
  expect(await run(['sync', '-q'], { PGPASSWORD: PASSWORD })).toMatchObject({ code: 0, stderr: '' })
  expect(await run(['sync', '-q'], { PGPASSFILE })).toMatchObject({ code: 0, stderr: '' })

  // The URL comes first, then PGPASSWORD.
  const wrong = await run(['sync'], { PGPASSWORD: 'wrong word', PGPASSFILE })
  expect(wrong).toMatchObject({ code: 5, stdout: '' })
  expect(wrong.stderr).toContain('password authentication failed')
  const whole = new URL(url)
  whole.password = encodeURIComponent(PASSWORD)
  const status = ['status', '--database', whole.href]
  expect(await run(status, { PGPASSWORD: 'wrong word' })).toMatchObject({ code: 0, stderr: '' })

  // The file has no password for the other database.
  const to = new URL(empty.url)
  Object.assign(to, { username: role, password: '' })
  const move = ['move', '--to', to.href]
  expect((await run(move, { PGPASSFILE })).code).toBe(5)
  const moved = await run(move, { PGPASSWORD: PASSWORD })
  expect(moved.code).toBe(0)
  for (const { stdout, stderr } of [none, wrong, moved])
    expect(stdout + stderr).not.toMatch(/wrong word|w(%40|%2540|@)rd/)

  await chmod(PGPASSFILE, 0o644)
  const readable = await run(['status'], { PGPASSFILE })
  expect(readable.code).toBe(5)
  expect(readable.stderr).toMatch(/password file ".*pgpass" has group or world access/)
})
