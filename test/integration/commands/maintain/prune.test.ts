/** `prune --history-before`: what goes, what stays, who is asked, and what of the past can be told after it. */
import { describe, expect, test, vi } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import type { Database } from '../../../../src/db/connect.ts'
import type { Transaction } from '../../../../src/db/transaction.ts'
import { deletePruneBatch, findPrunableVersions, setHistoryFloor } from '../../../../src/mirror/prune.ts'
import { prune } from '../../../../src/index.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import { scriptPath } from '../../../support/commands/command.ts'
import { commandStage } from '../../../support/commands/command-stage.ts'
import type { CommandStage } from '../../../support/commands/command-stage.ts'
import { onBoth } from '../../../support/databases/databases.ts'
import { countLockWaits } from '../../../support/databases/locks.ts'
import { pause, startStage } from '../../../support/runs/stage.ts'

/** Of two accounts, ten versions of a response and of an event, a day each, the first from 1 January. */
async function fill(database: Database): Promise<void> {
  await database.transaction(async (trx) => {
    await trx.query(`insert into headcount.accounts (name) values ('a'), ('b')`)
    await trx.query(
      `insert into headcount.sync_runs (account_id, mode, status, started_at)
       select id, 'sync', 'succeeded', '2026-01-01Z' from headcount.accounts`,
    )
    for (const [table, key] of [
      ['event_history', 'event_id'],
      ['response_history', 'event_id, response_id'],
    ]) {
      await trx.query(
        `insert into headcount.${table} (account_id, ${key}, valid_from, valid_to, operation, document, ended_by_run_id)
         select a.id, 'gala' ${key === 'event_id' ? '' : ', 1'}, timestamptz '2026-01-01Z' + n * interval '1 day',
                timestamptz '2026-01-02Z' + n * interval '1 day', 'update', jsonb_build_object('id', 1), 1
           from headcount.accounts a, generate_series(0, 9) n`,
      )
    }
  })
}

const untouched = [
  ['a', 10, 10, null],
  ['b', 10, 10, null],
]

async function countVersions(database: Database): Promise<unknown> {
  const { rows } = await database.transaction((trx) =>
    trx.query(
      `select a.name, (select count(*)::int from headcount.event_history where account_id = a.id),
              (select count(*)::int from headcount.response_history where account_id = a.id), a._history_from
         from headcount.accounts a order by a.id`,
    ),
  )
  return rows
}

onBoth('pruning', (fresh) => {
  test('deletes what ended by then, piece by piece, and nothing of another account or beyond', async () => {
    await using mirror = await fresh()
    const { database } = mirror
    await fill(database)
    const before = '2026-01-06T12:00:00Z'
    const find = () => database.transaction((trx) => findPrunableVersions(trx, 'a', before))
    const old = await find()
    const found = { account: 'a', versions: 5, from: '2026-01-01T00:00:00Z', to: '2026-01-06T00:00:00Z' }
    expect(old).toMatchObject([
      { ...found, table: 'event_history', bytes: expect.any(Number) as number },
      { ...found, table: 'response_history' },
    ])
    for (const table of old) {
      await database.transaction((trx) => setHistoryFloor(trx, table.account_id, before))
      let since: string | null = null
      const pieces: number[] = []
      for (const _ of [1, 2, 3, 4]) {
        const piece = await database.transaction((trx) => deletePruneBatch(trx, table, before, since, 2))
        pieces.push(piece.deleted)
        since = piece.ended
      }
      expect(pieces).toEqual([2, 2, 1, 0])
    }
    expect(await find()).toEqual([])
    expect(await countVersions(database)).toEqual([
      ['a', 5, 5, before],
      ['b', 10, 10, null],
    ])
  })

  test('never sets the horizon back, and what is left of an interrupted one is refused, then found again', async () => {
    await using mirror = await fresh()
    const { database } = mirror
    await fill(database)
    const [events] = await database.transaction((trx) => findPrunableVersions(trx, 'a', '2026-01-06Z'))
    if (events === undefined) throw new Error('nothing to prune')
    await database.transaction((trx) => setHistoryFloor(trx, events.account_id, '2026-01-06Z'))
    await database.transaction((trx) => deletePruneBatch(trx, events, '2026-01-06Z', null, 2))
    await database.transaction((trx) => setHistoryFloor(trx, events.account_id, '2026-01-03Z'))
    expect(await countVersions(database)).toEqual([
      ['a', 8, 10, '2026-01-06T00:00:00Z'],
      ['b', 10, 10, null],
    ])
    const at = (day: string) =>
      database.transaction((trx) => trx.query(`select from headcount.events_at('a', '${day}')`))
    await expect(at('2026-01-05T23:59:59Z')).rejects.toThrow(
      'was pruned: the earliest moment that it can tell of is 2026-01-06T00:00:00Z',
    )
    expect((await at('2026-01-06Z')).rows).toHaveLength(1)
    const left = await database.transaction((trx) => findPrunableVersions(trx, 'a', '2026-01-06Z'))
    expect(left.map(({ versions }) => versions)).toEqual([3, 5])
  })
})

async function filled(): Promise<CommandStage> {
  const s = await commandStage('postgres', accountOf({}))
  await using database = await s.place.open()
  await fill(database)
  return s
}

async function counted(s: CommandStage): Promise<unknown> {
  await using database = await s.place.open()
  return await countVersions(database)
}

describe('prune', () => {
  test('shows what goes, deletes it with --yes, and finds nothing the second time', async () => {
    await using s = await filled()
    const args = ['prune', '--history-before', '2026-01-04', '--json']
    const unasked = await s.run(args)
    expect(unasked).toMatchObject({ code: 2, stdout: '' })
    expect(unasked.stderr).toMatch(/^Former versions that ended before 2026-01-04T00:00:00Z:\n/)
    expect(unasked.stderr).toMatch(/^a +event_history +3 +2026-01-01 +2026-01-04 +\d+ bytes$/m)
    expect(unasked.stderr).toContain('no terminal to ask on. Add --yes')

    const pruned = await s.run([...args, '--account', 'b', '--yes'])
    expect(pruned.code).toBe(0)
    expect(pruned.stderr).toContain('Deleted 6 versions.\n')
    expect(JSON.parse(pruned.stdout)).toMatchObject({
      history_before: '2026-01-04T00:00:00Z',
      pruned: true,
      tables: [
        { account: 'b', table: 'event_history', versions: 3 },
        { account: 'b', table: 'response_history', versions: 3 },
      ],
    })
    expect(await counted(s)).toEqual([
      ['a', 10, 10, null],
      ['b', 7, 7, '2026-01-04T00:00:00Z'],
    ])
    const again = await s.run([...args, '--account', 'b'])
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing to prune') as string })
    expect(JSON.parse(again.stdout)).toMatchObject({ pruned: false, tables: [] })
    expect((await s.run(['prune', '--history-before', '1d', '--yes'])).stderr).toContain(
      'Deleted 34 versions.',
    )
  })

  test('takes a moment of the past alone, and an account that is there', async () => {
    await using s = await filled()
    const refused = async (...args: string[]) => {
      const ran = await s.run(['prune', '--yes', '--history-before', ...args])
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      return ran.stderr
    }
    expect(await refused('9999-01-01')).toMatch(
      /9999-01-01T00:00:00Z is yet to come: the clock of the database/,
    )
    expect(await refused('2026-02-01', '--account', 'c')).toContain('has no account "c"; it has a, b.')
    expect(await refused('2026-02-30')).toContain('--history-before must be a date like 2026-01-01')
    expect(await counted(s)).toEqual(untouched)
  })

  test('counts an age by the clock that is behind: one of the database that is ahead costs no history', async () => {
    await using s = await filled()
    // By the clock of the machine these versions are of the last days, by that of the database they are old.
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-04T12:00:00Z') })
    try {
      const pruned = await s.run(['prune', '--history-before', '1d', '--yes', '--json'])
      expect(JSON.parse(pruned.stdout)).toMatchObject({ history_before: '2026-01-03T12:00:00Z' })
      expect(await prune({ database: s.place.url, historyBefore: '1d' })).toMatchObject({ pruned: false })
    } finally {
      vi.useRealTimers()
    }
    expect(await counted(s)).toEqual([
      ['a', 8, 8, '2026-01-03T12:00:00Z'],
      ['b', 8, 8, '2026-01-03T12:00:00Z'],
    ])
  })

  test.skipIf(scriptPath === null)('asks on a terminal (needs script of util-linux)', async () => {
    await using s = await filled()
    const answer = (stdin: string) =>
      s.onTerminal(['prune', '--history-before', '2026-01-04T00:00:00Z'], { stdin })
    const no = await answer('n\n')
    expect(no.code).toBe(0)
    expect(no.stdout).toMatch(/Delete them for ever\? \[y\/N\] .*Nothing was deleted\./s)
    expect(await counted(s)).toEqual(untouched)
    expect((await answer('y\n')).stdout).toContain('Deleted 12 versions.')
    expect(await counted(s)).toEqual([
      ['a', 7, 7, '2026-01-04T00:00:00Z'],
      ['b', 7, 7, '2026-01-04T00:00:00Z'],
    ])
  })

  test('D4 is tried again where it and another transaction wait for each other', async () => {
    await using s = await filled()
    await using database = await s.place.open()
    const lock = (trx: Transaction, day: string) =>
      trx.query(`select from headcount.response_history where valid_to = '${day}' for update`)
    const begin = Promise.withResolvers<void>()
    const [pruned] = await Promise.all([
      begin.promise.then(() => prune({ database: s.place.url, historyBefore: '2026-01-04' })),
      database.transaction(async (trx) => {
        await lock(trx, '2026-01-03Z')
        begin.resolve()
        await expect.poll(() => countLockWaits(database)).toBe(1)
        await lock(trx, '2026-01-02Z')
      }),
    ])
    expect(pruned).toMatchObject({ pruned: true })
    expect(await counted(s)).toEqual([
      ['a', 7, 7, '2026-01-04T00:00:00Z'],
      ['b', 7, 7, '2026-01-04T00:00:00Z'],
    ])
  })

  test('does no harm to a run at the same time', async () => {
    await using stage = await startStage('postgres', accountOf({ gala: 3 }))
    await stage.sync()
    stage.account.of('gala')[0] = { id: 1, name: 'Anne' }
    await stage.sync()
    stage.account.of('gala')[0] = { id: 1, name: 'Anna' }
    const paused = pause(stage, '/events/gala/responses')
    const running = stage.run('sync', { all: true })
    await paused.reached
    const [row] = await stage.change('select clock_timestamp()')
    const before = String(row?.[0])
    {
      await using database = await connect(stage.url)
      const [old] = await database.transaction((trx) => findPrunableVersions(trx, null, before))
      if (old === undefined) throw new Error('nothing to prune')
      await database.transaction((trx) => setHistoryFloor(trx, old.account_id, before))
      expect(await database.transaction((trx) => deletePruneBatch(trx, old, before, null, 10))).toMatchObject(
        {
          deleted: 1,
        },
      )
    }
    paused.release()
    expect(await running).toMatchObject({ exit: 0, status: 'succeeded' })
    await stage.look()
    stage.expectMirrored()
    expect(
      await stage.change(`select name from headcount.responses_at('default', '${before}') order by id`),
    ).toEqual([['Anne'], ['Guest 2'], ['Guest 3']])
    expect(await stage.change('select old_value, new_value from headcount.response_changes')).toContainEqual([
      'Anne',
      'Anna',
    ])
  })
})
