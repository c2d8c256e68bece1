/** Analysts ask in sessions of their own: no setting of theirs changes what a view, or a function of the past, says. */
import { isDeepStrictEqual } from 'node:util'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { rowObjects } from '../../../src/db/transaction.ts'
import { startWire } from '../../support/http/wire.ts'
import { drawnAccount } from '../../support/views/drawn-account.ts'

/** What somebody sets by hand, in a file of psql, or for a role. */
const settings: readonly string[] = [
  'standard_conforming_strings = off',
  'backslash_quote = off',
  'array_nulls = off',
  'transform_null_equals = on',
  'quote_all_identifiers = on',
  `datestyle = 'German'`,
  `datestyle = 'SQL, DMY'`,
  `intervalstyle = 'sql_standard'`,
  'extra_float_digits = -15',
  `bytea_output = 'escape'`,
  `timezone_abbreviations = 'Australia'`,
  `timezone = 'Asia/Kathmandu'`,
  `timezone = 'Pacific/Apia'`,
  `timezone = 'CET'`,
  // From Postgres 18 on, abbreviations of the session's zone come before all others: this one calls itself UTC.
  `timezone = 'UTC+2'`,
  `timezone = 'UTC-13'`,
  'plan_cache_mode = force_generic_plan',
  'parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0',
  'enable_nestloop = off',
  'enable_sort = off; set enable_hashagg = off; set enable_seqscan = off',
  'jit = on; set jit_above_cost = 0',
  `search_path = ''`,
]

const questions = (views: readonly string[], moment: string): readonly string[] => [
  ...views.map((view) => `headcount.${view}`),
  ...['events_at', 'responses_at', 'payments_at', 'slots_at'].map(
    (past) => `headcount.${past}('east', '${moment}')`,
  ),
  `(select headcount.email_key(' Ada' || chr(92) || '@X.ORG' || chr(9)))`,
]

/** The rows of each in a session of its own, as text that is the same whatever the session's own form of values. */
async function ask(url: string, setting: string, asked: readonly string[]) {
  const client = new Client(url)
  await client.connect()
  try {
    const answers = new Map<string, readonly unknown[]>()
    for (const from of asked) {
      await client.query('begin')
      if (setting !== '') await client.query(`set ${setting}`)
      await client.query(`create temporary table answer on commit drop as select * from ${from} answer`)
      await client.query(`set datestyle = 'ISO, MDY'; set timezone = 'UTC'; set search_path = pg_catalog;
        set bytea_output = 'hex'; set quote_all_identifiers = off; set extra_float_digits = 1`)
      const { rows } = await client.query<{ row: string }>(
        'select a::text as row from pg_temp.answer a order by a::text collate "C"',
      )
      answers.set(
        from,
        rows.map(({ row }) => row),
      )
      await client.query('rollback')
    }
    return answers
  } finally {
    await client.end()
  }
}

/** Two accounts with something in every view. */
async function startAccounts() {
  await using opened = new AsyncDisposableStack()
  const wire = opened.use(await startWire('postgres'))
  if (typeof wire.target !== 'string') throw new Error('these tests need the address of a Postgres')
  const database = opened.use(await connect(wire.target))
  let moment = ''
  for (const [account, seed] of [
    ['east', 11],
    ['west', 111],
  ] as const)
    for (const bodies of drawnAccount(seed, 2, Date.now())) {
      wire.bodies.clear()
      for (const [id, body] of bodies) wire.bodies.set(id, body)
      const { error } = await wire.sync({ all: true, acceptDeletions: true, account, createAccount: true })
      expect(error).toBeNull()
      moment ||= new Date().toISOString()
    }
  await wire.change(`update headcount.accounts set time_zone = 'Europe/Berlin' where name = 'west'`)
  const found = await database.transaction(async (trx) =>
    rowObjects(await trx.query(`select viewname from pg_views where schemaname = 'headcount'`)),
  )
  const resources = opened.move()
  return {
    url: wire.target,
    database,
    views: found.map(({ viewname }) => String(viewname)),
    moment,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

test('whatever a session sets, every view and every function of the past has the same rows', async () => {
  await using accounts = await startAccounts()
  const asked = questions(accounts.views, accounts.moment)
  const as = (setting: string) => ask(accounts.url, setting, asked)
  let usual = await as('')
  expect([...usual].filter(([, rows]) => rows.length === 0)).toEqual([])
  for (const setting of settings) {
    let answers = await as(setting)
    // The clock may have passed the start of a slot, or midnight, meanwhile.
    if (!isDeepStrictEqual(answers, usual)) [usual, answers] = [await as(''), await as(setting)]
    for (const [from, rows] of usual) expect(answers.get(from), `${from}, with ${setting}`).toEqual(rows)
  }
})

test('a session that names an account has the rows of that account in every view but the one that history is written from', async () => {
  await using accounts = await startAccounts()
  const others = await accounts.database.transaction(async (trx) => {
    await trx.query(`set local headcount.account = 'west'`)
    const counts: string[] = []
    for (const view of accounts.views) {
      const { rows } = await trx.query(
        `select count(*) filter (where account_id <> 2), count(*) from headcount.${view}`,
      )
      expect(Number(rows[0]?.[1]), view).toBeGreaterThan(0)
      if (Number(rows[0]?.[0]) > 0) counts.push(view)
    }
    return counts
  })
  // A role whose sessions name an account may run others, too, and history would lack what is not shown.
  expect(others).toEqual(['response_documents'])
})
