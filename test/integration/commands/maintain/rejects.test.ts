/** Rejects that the owner can live with: `rejects accept`, and what it does to exit codes, report and status. */
import { describe, expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import type { Account } from '../../../support/accounts/account.ts'
import { commandStage, onPostgresCommandStage } from '../../../support/commands/command-stage.ts'
import type { CommandStage } from '../../../support/commands/command-stage.ts'

const broken = { id: 'x', name: 'Eve' }

function accountWith(...ids: readonly string[]): Account {
  const account = accountOf(Object.fromEntries(ids.map((id) => [id, 1])))
  for (const id of ids) account.of(id).push({ ...broken })
  return account
}

interface Listed {
  readonly rejects: readonly {
    readonly event_id: string
    readonly sha256: string
    readonly accepted_at: string | null
  }[]
}

async function listed(s: CommandStage): Promise<Listed['rejects']> {
  return (JSON.parse((await s.run(['rejects', '--json'])).stdout) as Listed).rejects
}

async function figures(s: CommandStage, ...flags: readonly string[]): Promise<unknown> {
  const status = JSON.parse((await s.run(['status', '--json', ...flags])).stdout) as Record<string, unknown[]>
  const [{ rejected, accepted }] = Object.values(status)[0] as [{ rejected: number; accepted: number }]
  return { rejected, accepted }
}

onPostgresCommandStage('an accepted reject', (stage) => {
  test('is listed, but no cause for exit 8 until the item changes', async () => {
    const account = accountWith('gala')
    await using s = await stage(account)
    expect((await s.run(['sync', '-q'])).code).toBe(8)
    expect(await figures(s)).toEqual({ rejected: 1, accepted: 0 })
    const [reject] = await listed(s)
    const sha256 = reject?.sha256 ?? ''

    const accepted = await s.run(['rejects', 'accept', sha256.slice(0, 8), '--json'])
    expect(accepted).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(accepted.stdout)).toEqual({
      accepted: [{ account: 'default', event_id: 'gala', sha256, accepted_at: expect.any(String) as string }],
    })
    expect(await figures(s)).toEqual({ rejected: 0, accepted: 1 })
    const again = await s.run(['sync', '--all', '--json', '-q'])
    expect(again.code).toBe(0)
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'succeeded', rejected: 0 })
    expect(await listed(s)).toMatchObject([{ sha256, accepted_at: expect.any(String) as string }])

    account.of('gala')[1] = { ...broken, name: 'Adam' }
    expect((await s.run(['sync', '-q'])).code).toBe(8)
    expect(await listed(s)).toMatchObject([{ accepted_at: null }])
  })
})

test('rejects says that a limit left some out', async () => {
  await using s = await commandStage('postgres', accountWith('gala', 'picnic'))
  expect((await s.run(['sync', '-q'])).code).toBe(8)
  expect((await s.run(['rejects', '--limit', '1'])).stdout).toMatch(
    /\(the first 1 item; there are more: --limit\)\n$/,
  )
  expect(JSON.parse((await s.run(['rejects', '--limit', '1', '--json'])).stdout)).toMatchObject({
    has_more: true,
  })
  expect((await s.run(['rejects'])).stdout).toMatch(/\(2 items\)\n$/)
})

describe('rejects accept', () => {
  test('takes every list that has the item, or the one that is named; --revoke takes it back', async () => {
    await using s = await commandStage('postgres', accountWith('ball', 'gala'))
    expect((await s.run(['sync', '-q'])).code).toBe(8)
    const [{ sha256 } = { sha256: '' }] = await listed(s)

    const one = await s.run(['rejects', 'accept', sha256.toUpperCase(), '--event', 'gala'])
    expect(one).toMatchObject({ code: 0, stdout: '' })
    expect(one.stderr).toContain(`  ${sha256.slice(0, 12)} of event gala, account default\n`)
    expect(await listed(s)).toMatchObject([
      { event_id: 'ball', accepted_at: null },
      { event_id: 'gala', accepted_at: expect.any(String) as string },
    ])
    expect(await figures(s, '--event', 'gala')).toEqual({ rejected: 0, accepted: 1 })
    expect(await figures(s, '--event', 'ball')).toEqual({ rejected: 1, accepted: 0 })
    expect((await s.run(['status'])).stdout).toMatch(/rejected +1 item, and 1 accepted/)
    expect(
      (await s.run(['query', 'select event_id, rejected, accepted from list_status order by 1'])).stdout,
    ).toBe('event_id,rejected,accepted\n"",0,0\nball,1,0\ngala,0,1\n')

    const [, gala] = await listed(s)
    await s.run(['rejects', 'accept', sha256])
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    expect((await listed(s))[1]?.accepted_at).toBe(gala?.accepted_at)

    const back = await s.run(['rejects', 'accept', '--revoke', sha256.slice(0, 10), '--json'])
    expect((JSON.parse(back.stdout) as { revoked: unknown[] }).revoked).toHaveLength(2)
    expect((await s.run(['sync', '-q'])).code).toBe(8)
  })

  test('is remembered while the item is gone', async () => {
    const account = accountWith('gala')
    await using s = await commandStage('postgres', account)
    await s.run(['sync', '-q'])
    const [{ sha256 } = { sha256: '' }] = await listed(s)
    await s.run(['rejects', 'accept', sha256])
    const [item] = account.of('gala').splice(1)
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    expect(await listed(s)).toEqual([])
    account.of('gala').push(item)
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    expect(await listed(s)).toHaveLength(1)
  })

  test('refuses what means no item, or several, names the remedy, and then accepts none', async () => {
    await using s = await commandStage('postgres', accountWith('gala'))
    await s.run(['sync', '-q'])
    const [{ sha256 } = { sha256: '' }] = await listed(s)
    const refused = async (...args: string[]) => {
      const ran = await s.run(['rejects', 'accept', ...args])
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      return ran.stderr
    }
    expect(await refused(sha256, '00000000')).toMatch(
      /no reject has .* begins with 00000000: headcount rejects/,
    )
    expect(await refused(sha256, '--event', 'ball')).toContain('no reject of event ball')
    expect(await refused(sha256, '--account', 'other')).toContain('no reject of account other')
    expect(await refused(sha256, '--revoke')).toContain('nothing was accepted')
    expect(await refused('not-hexadecimal')).toContain('is no SHA-256 of an item')
    {
      await using database = await s.place.open()
      await database.transaction((trx) =>
        trx.query(
          `insert into headcount.rejects (account_id, event_id, item_index, reason, path, payload, bytes, sha256, run_id)
           select account_id, event_id, 7, reason, path, payload, bytes, left(sha256, 8) || repeat('0', 56), run_id
             from headcount.rejects`,
        ),
      )
    }
    expect(await refused(sha256.slice(0, 8))).toMatch(/begins the SHA-256 of 2 items: give more digits \(/)
    expect((await listed(s)).map(({ accepted_at }) => accepted_at)).toEqual([null, null])
  })

  test('brings an older schema up to date first, and makes none where there is none', async () => {
    await using s = await commandStage('postgres', accountOf({}), { blank: true })
    const none = await s.run(['rejects', 'accept', 'cafe0123'])
    expect(none).toMatchObject({ code: 5, stdout: '' })
    expect(none.stderr).toContain('holds no mirror yet')
    await using database = await s.place.open()
    await database.transaction(async (trx) => {
      await trx.query('create schema headcount')
      await trx.query(
        'create table headcount.schema_migrations (number int primary key, name text not null, applied_at timestamptz not null default now())',
      )
      const { mirror } = await import('../../../../migrations/0001_mirror.ts')
      for (const statement of mirror) await trx.query(statement)
      await trx.query(`insert into headcount.schema_migrations (number, name) values (1, 'mirror')`)
    })
    expect((await s.run(['rejects', 'accept', 'cafe0123'])).stderr).toContain('no reject has a SHA-256')
    expect((await s.run(['rejects'])).stdout).toBe('Nothing is rejected.\n')
  })
})
