/** `keys create`, `keys list`, `keys revoke`: what is printed, once, and what is refused. */
import { describe, expect, test } from 'vitest'
import { hashKey } from '../../../../src/mirror/keys/secret.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import { commandStage } from '../../../support/commands/command-stage.ts'
import type { CommandStage } from '../../../support/commands/command-stage.ts'

async function stageWith(...accounts: readonly string[]): Promise<CommandStage> {
  const s = await commandStage('postgres', accountOf({}))
  await using database = await s.place.open()
  for (const name of accounts) {
    await database.transaction((trx) =>
      trx.query('insert into headcount.accounts (name) values ($1)', [name]),
    )
  }
  return s
}

interface Listed {
  readonly keys: readonly unknown[]
}

async function listed(s: CommandStage, ...flags: readonly string[]): Promise<readonly unknown[]> {
  return (JSON.parse((await s.run(['keys', 'list', '--json', ...flags])).stdout) as Listed).keys
}

describe('a key', () => {
  test('is printed once, alone on stdout, listed without itself, and revoked for ever', async () => {
    await using s = await stageWith('default')
    expect(await s.run(['keys'])).toEqual({
      code: 0,
      stdout: 'No keys yet. headcount keys create makes one.\n',
      stderr: '',
    })

    const label = 'the website \u202eof the band'
    const log = { HEADCOUNT_LOG_LEVEL: 'debug' }
    const made = await s.run(['keys', 'create', '--label', label], { env: log })
    expect(made.code).toBe(0)
    expect(made.stdout).toMatch(/^hc_[\w-]{43}\n$/)
    const key = made.stdout.trim()
    expect(made.stderr).toBe(
      'Key 1 gives access to account default to whoever sends it as X-API-Key. ' +
        'It is shown only this once; headcount keys revoke 1 revokes it.\n',
    )
    const json = await s.run(['keys', 'create', '--expires', '2999-12-31', '--json'])
    expect(json).toMatchObject({ code: 0, stderr: '' })
    const second = JSON.parse(json.stdout) as { readonly key: string }
    expect(second).toEqual({ id: 2, key: expect.stringMatching(/^hc_[\w-]{43}$/) as string })

    const lists = await Promise.all([s.run(['keys']), s.run(['keys', 'list']), s.run(['keys', '--json'])])
    expect(lists[0]).toEqual(lists[1])
    expect(lists[0]?.stdout).toMatch(
      /^ *1 +default +the website \\u202eof the band +active +\d{4}-\d\d-\d\d +never +never$/m,
    )
    expect(lists[0]?.stdout).toMatch(/^ *2 +default +active +\d{4}-\d\d-\d\d +2999-12-31 +never$/m)
    for (const { stdout, stderr } of lists) {
      expect(stderr).toBe('')
      for (const each of [key, second.key]) {
        expect(stdout).not.toContain(each.slice(3))
        expect(stdout).not.toContain(hashKey(each).slice(0, 8))
      }
    }

    const revoked = await s.run(['keys', 'revoke', '1'])
    expect(revoked).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'Key 1 (the website \\u202eof the band) of account default is revoked: from now on it opens nothing.\n',
    })
    const again = await s.run(['keys', 'revoke', '1'])
    expect(again).toMatchObject({ code: 0, stdout: '' })
    expect(again.stderr).toMatch(/ of account default was revoked before, at \d{4}-.* UTC\.\n$/)
    const twice = await s.run(['keys', 'revoke', '1', '--json'])
    expect(JSON.parse(twice.stdout)).toEqual({
      id: 1,
      account: 'default',
      revoked_at: expect.any(String) as string,
    })
    expect(await listed(s)).toMatchObject([
      { id: 1, account: 'default', label, state: 'revoked', last_used_on: null },
      { id: 2, label: null, state: 'active', expires_at: '2999-12-31T00:00:00Z', revoked_at: null },
    ])
  })

  test('is of the account that is named, else of default, else of the only one', async () => {
    await using s = await stageWith('north')
    expect((await s.run(['keys', 'create'])).stderr).toContain('Key 1 gives access to account north to')
    {
      await using database = await s.place.open()
      await database.transaction((trx) => trx.query(`insert into headcount.accounts (name) values ('south')`))
    }
    const several = await s.run(['keys', 'create'])
    expect(several).toMatchObject({ code: 2, stdout: '' })
    expect(several.stderr).toContain('has several accounts: north, south. Name one with --account')
    const env = { HEADCOUNT_ACCOUNT: 'south' }
    expect((await s.run(['keys', 'create', '--expires', '90d'], { env })).stderr).toMatch(
      /^Key 2 gives access to account south until [-\d]+ [\d:]+ UTC to whoever/,
    )
    expect(await listed(s, '--account', 'south')).toMatchObject([{ id: 2 }])
    expect((await s.run(['keys', 'revoke', '1'], { env })).stderr).toContain('no key 1 of account "south"')
  })
})

test('what is refused makes no key, and says what would be taken', async () => {
  await using s = await stageWith('default')
  const refusals = [
    [['create', '--account', 'west'], 'The mirror has no account "west"; it has default.'],
    [['list', '--account', 'west'], 'The mirror has no account "west"; it has default.'],
    [['create', '--expires', 'soon'], '--expires must be a date like 2026-01-01, an instant like'],
    [['create', '--expires', '2020-01-01'], '2020-01-01T00:00:00Z is past: the clock of the database says'],
    [['create', '--label', 'x'.repeat(201)], '--label must be at most 200 characters long'],
    [['create', '--label', 'two\nlines'], '--label must not hold control characters'],
    [['revoke', '7'], 'There is no key 7: headcount keys list shows those there are.'],
    [['revoke', 'hc_secret'], 'keys revoke takes the number of a key: headcount keys list shows it'],
  ] as const
  for (const [args, message] of refusals) {
    const ran = await s.run(['keys', ...args])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
  }
  expect(await listed(s)).toEqual([])
})

test('where there is no mirror, or no account in it, no key is made', async () => {
  await using s = await commandStage('postgres', accountOf({}), { blank: true })
  for (const verb of ['create', 'list']) {
    const none = await s.run(['keys', verb])
    expect(none).toMatchObject({ code: 5, stdout: '' })
    expect(none.stderr).toContain('holds no mirror yet')
  }
  await s.run(['migrate'])
  const empty = await s.run(['keys', 'create'])
  expect(empty).toMatchObject({ code: 2, stdout: '' })
  expect(empty.stderr).toContain('The mirror has no account yet. Run: headcount sync')
})

test('of a mirror with hundreds of accounts an error names ten, and the one that was meant', async () => {
  await using s = await commandStage('postgres', accountOf({}))
  {
    await using database = await s.place.open()
    await database.transaction((trx) =>
      trx.query(
        `insert into headcount.accounts (name) select 'org-' || to_char(n, 'FM000') from generate_series(1, 300) n`,
      ),
    )
  }
  const ten = Array.from({ length: 10 }, (_, n) => `org-${String(n + 1).padStart(3, '0')}`).join(', ')
  const mistyped = await s.run(['keys', 'list', '--account', 'org-2222'])
  expect([mistyped.code, mistyped.stderr]).toEqual([
    2,
    `headcount: The mirror has no account "org-2222" (did you mean org-222?); it has ${ten} and 290 more (headcount accounts lists them).\n`,
  ])
  const which = await s.run(['keys', 'create'])
  expect([which.code, which.stderr]).toEqual([
    2,
    `headcount: The mirror has several accounts: ${ten} and 290 more (headcount accounts lists them). Name one with --account.\n`,
  ])
})
