/** Lists that are too large for memory, by bounds so low that short ones are: what comes of them is the same. */
import { expect, test, vi } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import type { Plan, RunOptions } from '../../../../src/index.ts'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import type { Account, Item } from '../../../support/accounts/account.ts'
import { onBothStages, onPostgresStage } from '../../../support/runs/stage.ts'
import type { Ended, Stage } from '../../../support/runs/stage.ts'
import { inWords, verifyOn } from '../../../support/runs/verify.ts'

const tiny = { inMemoryBytes: 100, chunkBytes: 300 }

/** What a run says of what it did. */
const told = ({ report: { rows, rejected, set_aside, held, warnings, status, events } }: Ended) => ({
  rows,
  rejected,
  set_aside,
  held,
  warnings,
  status,
  events,
})

/** What is in the mirror, but for the times at which it came there. */
async function rowsIn(stage: Stage) {
  await stage.change('select 1')
  const tables = ['responses', 'payments', 'slots', 'rejects', 'response_history'] as const
  return tables.map((table) =>
    stage.mirror
      .rows(table)
      .map((row) => row.replaceAll(/"(?:_first_seen_at|_changed_at|valid_\w+|seen_at)": ?[^,}]*,? ?/g, ''))
      .toSorted(),
  )
}

/** A plan lists rows in the order in which they were compared. */
function sorted(plan: Plan | undefined) {
  return JSON.stringify(plan, (_, value: unknown) =>
    Array.isArray(value) ? value.map((row) => JSON.stringify(row)).toSorted() : value,
  )
}

/** What befalls the list of an event, in turn. */
const changes: readonly ((responses: unknown[], account: Account) => void)[] = [
  (responses) => {
    edit(responses, 3, { name: 'Zoë' })
    edit(responses, 17, { amount: '99.90' })
    responses.push(responseItem(100, { slots: null }), responseItem(50))
  },
  // Out of order, one lost, and twice the same id in different pieces, of which neither the first nor the last is taken.
  (responses) => {
    responses.reverse()
    responses.splice(4, 1)
    responses.unshift(responseItem(9, { name: 'Late', updated_at: '2026-03-05T10:00:00Z', quantity: 'many' }))
    responses.splice(10, 0, responseItem(9, { name: 'Latest', updated_at: '2026-03-06T10:00:00Z' }))
  },
  // Items that cannot be stored: the live row of the one whose id can be read stays.
  (responses) => {
    edit(responses, 8, { quantity: JSON.parse('[['.repeat(40) + ']]'.repeat(40)) })
    responses.push('no object')
  },
  (responses) => void responses.splice(0, 8),
  (responses, account) => {
    responses.splice(0)
    account.of('gala').push(responseItem(1))
  },
]

function edit(responses: unknown[], id: number, fields: Item): void {
  const place = responses.findIndex((item) => Object(item).id === id)
  responses[place] = { ...Object(responses[place]), ...fields }
}

onBothStages('large lists', (stage) => {
  test('become the same rows, history, rejects and warnings as the same lists in memory', async () => {
    await using large = await stage(accountOf({ gala: 40, ball: 2 }))
    await using small = await stage(accountOf({ gala: 40, ball: 2 }))
    const both = async (mode: 'sync' | 'backfill', options: Partial<RunOptions> = {}) => {
      const expected = await small.run(mode, options)
      expect(told(await large.run(mode, { ...tiny, ...options }))).toEqual(told(expected))
      expect(await rowsIn(large)).toEqual(await rowsIn(small))
      return expected.report
    }
    await both('sync')
    large.expectMirrored()
    // A run on PGlite costs several times as much: what it could do otherwise shows in some of the changes.
    for (const change of changes.filter((_, turn) => large.engine === 'postgres' || turn % 2 === 0)) {
      for (const { account } of [large, small]) change(account.of('gala'), account)
      const planned = { ...tiny, dryRun: true, acceptDeletions: true }
      const plan = sorted((await large.run('sync', planned)).report.plan)
      expect(plan).toEqual(sorted((await small.run('sync', { ...planned, inMemoryBytes: 1e6 })).report.plan))
      const { held } = await both('sync')
      if (held > 0) await both('sync', { acceptDeletions: true })
      expect(await verifyOn(large, tiny)).toMatchObject({ differences_total: 0, lists_compared: 2 })
    }
    expect(await both('sync')).toMatchObject({ held: 0, events: { unchanged: 2 } })
    await both('backfill')
    large.expectMirrored()
  })
})

onPostgresStage('a large list', (stage) => {
  test('verify finds every row that was changed, deleted or inserted by hand', async () => {
    await using on = await stage(accountOf({ gala: 40 }))
    await on.sync(tiny)
    await on.change(
      `delete from headcount.responses where id in (1, 20)`,
      `update headcount.responses set name = 'X' where id = 40`,
      `insert into headcount.responses (account_id, event_id, id, kind, _run_id) values (1, 'gala', 41, 'bare', 1)`,
      `insert into headcount.payments (account_id, event_id, response_id, amount) values (1, 'gala', 99, 1)`,
    )
    expect(inWords(await verifyOn(on, tiny)).toSorted()).toEqual([
      'payments gala 99: extra',
      'responses gala 1: missing',
      'responses gala 20: missing',
      'responses gala 40: name Guest 40 | X',
      'responses gala 41: extra',
    ])
    const mended = await on.backfill({ ...tiny, restart: true, acceptDeletions: true })
    expect(mended.report.rows).toMatchObject({
      responses: { inserted: 2, updated: 1, deleted: 1 },
    })
    on.expectMirrored()
  })

  test('a field that it has lost is told, also when only rows had it that are gone', async () => {
    await using on = await stage(accountOf({ gala: 40 }))
    edit(on.account.of('gala'), 40, { message: 'See you' })
    await on.sync(tiny)
    on.account.of('gala').pop()
    const { report } = await on.sync(tiny)
    expect(report.warnings).toEqual([expect.stringMatching(/no response has "message" any more/)])
  })

  test('O2 an interruption breaks its batch off between two pieces: the event is wholly old', async () => {
    await using on = await stage(accountOf({ gala: 40 }))
    await on.sync(tiny)
    for (let id = 1; id <= 40; id += 1) edit(on.account.of('gala'), id, { name: 'New' })
    const interrupt = new AbortController()
    await using beside = await connect(on.url)
    // The first piece that is written waits for a lock, and the run is interrupted meanwhile.
    const run = await beside.transaction(async (trx) => {
      await trx.query('lock table headcount.response_history in share mode')
      const run = on.run('sync', { ...tiny, signal: interrupt.signal })
      const waits = async () =>
        (
          await trx.query(
            `select from pg_locks where not granted and relation = 'headcount.response_history'::regclass`,
          )
        ).rows.length > 0
      await vi.waitFor(async () => expect(await waits()).toBe(true), { interval: 5, timeout: 30_000 })
      interrupt.abort()
      return { run }
    })
    expect(await run.run).toMatchObject({ exit: 143 })
    await on.look()
    expect(on.mirror.rows('responses').join()).not.toContain('New')
    await on.sync(tiny)
    on.expectMirrored()
  })
})
