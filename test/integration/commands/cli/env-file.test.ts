/** `--env-file`: settings from a file, when the call names one. */
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { headcount, run } from '../../../support/commands/command.ts'
import { commandStage } from '../../../support/commands/command-stage.ts'

const cli = inject('command')

test('settings come from the file, before and behind the name of the command; one that is set already wins', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 2 }))
  await using folder = await mkdtempDisposable(join(tmpdir(), 'headcount-test-env-'))
  const file = join(folder.path, 'settings')
  const lines = Object.entries(s.env).map(([name, value]) => `export ${name}=${value}`)
  await writeFile(file, ['# of the test', '', ...lines, "HEADCOUNT_ACCOUNT='of the file'", ''].join('\n'))
  const before = await headcount(['--env-file', file, 'sync', '--json', '--quiet'])
  expect(before).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(before.stdout)).toMatchObject({ account: 'of the file', status: 'succeeded' })
  const env = { HEADCOUNT_ACCOUNT: 'set' }
  const behind = await headcount(['sync', '--json', '--quiet', '--new-account', `--env-file=${file}`], {
    env,
  })
  expect(JSON.parse(behind.stdout)).toMatchObject({ account: 'set' })
  const without = await headcount(['sync'])
  expect(without).toMatchObject({ code: 2 })
  expect(without.stderr).toContain('HEADCOUNT_BASE_URL is not set')
})

test('a file that cannot be read, and a line that is no assignment, are told; no value is', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'headcount-test-env-'))
  // Behind --, for Node itself looks for a flag of this name.
  const missing = await run(process.execPath, ['--', cli, '--env-file', join(folder.path, 'none'), 'status'])
  expect(missing).toMatchObject({ code: 2, stdout: '' })
  expect(missing.stderr).toMatch(/--env-file: cannot read ".*none" \(ENOENT\): check the path and the rights/)
  const file = join(folder.path, '.env')
  const text = [
    'HEADCOUNT_API_KEY: a-secret-of-the-file',
    `HEADCOUNT_ACCOUNT="two`,
    'lines, of which this is no fault"',
    'another secret',
  ]
  await writeFile(file, text.join('\r\n'))
  const wrong = await headcount(['status', '--env-file', file])
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain(`${file}, line 1: not NAME=value; begin a comment with #`)
  expect(wrong.stderr).toContain(`${file}, line 4: not NAME=value`)
  expect(wrong.stderr).not.toMatch(/secret|line [23]:/)
  await writeFile(file, 'HEADCOUNT_API_KEY="a-secret-of-the-file\nHEADCOUNT_ACCOUNT=two\nanother secret')
  const open = await headcount(['status', '--env-file', file])
  expect(open).toMatchObject({ code: 2, stdout: '' })
  expect(open.stderr).toContain(`${file}, line 1: the quote " is not closed`)
  expect(open.stderr).toContain(`${file}, line 3: not NAME=value`)
  expect(open.stderr).not.toContain('secret')
  await writeFile(file, '\uFEFFHEADCOUNT_ACOUNT=x')
  const unknown = await headcount(['status', '--env-file', file])
  expect(unknown.stderr).toContain(
    'HEADCOUNT_ACOUNT is no setting of headcount (did you mean HEADCOUNT_ACCOUNT?)',
  )
  const alone = await headcount(['--env-file', file])
  expect(alone.stderr).toContain('headcount needs a command; see headcount --help')
  const bare = await headcount(['status', '--nope', '--env-file'])
  expect(bare.code).toBe(2)
  expect(bare.stderr).toContain('--env-file')
})
