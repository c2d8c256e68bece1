import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { onPostgresStage } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

/** Tables that an unchanged run must not touch, with their payments and slots, history and rejects. */
const untouched = [
  'events',
  'responses',
  'payments',
  'slots',
  'event_history',
  'response_history',
  'rejects',
  'accounts',
]

async function onMirror<Row>({ url }: Stage, statement: string): Promise<Row[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

interface Writes {
  readonly table: string
  readonly writes: string
}

/** Rows written to each table since the statistics began, as soon as those of every finished connection are in. */
async function writesOf(stage: Stage): Promise<Map<string, number>> {
  const rows = await onMirror<Writes>(
    stage,
    `select relname as table, n_tup_ins + n_tup_upd + n_tup_del as writes
       from pg_stat_user_tables where schemaname = 'headcount'`,
  )
  return new Map(rows.map(({ table, writes }) => [table, Number(writes)]))
}

onPostgresStage('D14 an unchanged run', (stage) => {
  test.each([
    ['whose bodies are equal', () => {}, 'sync'],
    ['whose bodies say the same in another order', (on: Stage) => reverse(on), 'sync'],
    ['that trusts no digest', () => {}, 'backfill'],
  ] as const)('%s writes no row and no WAL of the live tables', async (_, change, mode) => {
    await using on = await stage(accountOf({ gala: 40, picnic: 30, ball: 20 }), { isOwn: true })
    await on.sync()
    // The first backfill makes the indexes.
    await on.backfill()
    change(on)
    // A batch commits asynchronously: until its WAL is on disk, no vacuum can settle its rows.
    await onMirror(on, 'checkpoint')
    await onMirror(on, 'vacuum (freeze, analyze)')
    await onMirror(on, 'create extension if not exists pg_walinspect')
    const before = await writesOf(on)
    const [start] = await onMirror<{ lsn: string }>(on, 'select pg_current_wal_insert_lsn() as lsn')

    expect(await on.run(mode)).toMatchObject({ exit: 0, report: { events: { due: 3, unchanged: 3 } } })

    // The run's own row is the sign that its statistics have arrived.
    let after = await writesOf(on)
    for (let wait = 0; wait < 2000 && after.get('sync_state') === before.get('sync_state'); wait++) {
      await setTimeout(20)
      after = await writesOf(on)
    }
    expect(after.get('sync_state')).toBeGreaterThan(before.get('sync_state') ?? 0)
    for (const table of untouched)
      expect({ table, writes: after.get(table) }).toEqual({ table, writes: before.get(table) })
    const wal = await onMirror<{ table: string }>(
      on,
      // As text, for Postgres 15 has no other form of it.
      `select distinct coalesce(t.relname, c.relname) as table
         from pg_get_wal_records_info('${start?.lsn}', pg_current_wal_flush_lsn()) w
        cross join regexp_matches(w.block_ref, 'rel \\d+/(\\d+)/(\\d+)', 'g') as r(file)
         join pg_class c on c.relfilenode = r.file[2]::oid
         left join pg_index i on i.indexrelid = c.oid
         left join pg_class t on t.oid = i.indrelid
        where r.file[1]::oid = (select oid from pg_database where datname = current_database())`,
    )
    const written = wal.map(({ table }) => table)
    expect(written).toContain('sync_runs')
    expect(written.filter((table) => untouched.includes(table))).toEqual([])
  })
})

function reverse({ account }: Stage): void {
  account.events.reverse()
  for (const list of account.responses.values()) list.reverse()
}
