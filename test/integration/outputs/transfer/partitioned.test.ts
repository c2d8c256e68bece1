/** Tables that an operator divided, as docs/operate/scaling.md shows: nothing of them is left out, and nothing else is deleted. */
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { accountOf, responseItem, type Account } from '../../../support/accounts/account.ts'
import { commandStage, type CommandStage } from '../../../support/commands/command-stage.ts'
import { freshPlace } from '../../../support/databases/databases.ts'
import { readRows } from '../../../support/outputs/transfer/filled-mirror.ts'
import { backupMirror, moveMirror } from '../../../../src/index.ts'

/** The statements of the document; psql's `\gexec` runs what a query gives. */
async function divideResponses(s: CommandStage): Promise<void> {
  const text = await readFile(join(import.meta.dirname, '../../../../docs/operate/scaling.md'), 'utf8')
  const statements = /```sql\n(begin;[^`]*?commit;)/.exec(text)?.[1] ?? ''
  expect(statements).toContain('partition by hash')
  await run(s, ...statements.split(/;\n|(?<=\\gexec)\n/))
}

/** Payments in two parts by account, so that both have a row at each place. */
const DIVIDED = [
  `alter table headcount.payments rename to payments_whole`,
  `create table headcount.payments (like headcount.payments_whole including all) partition by list (account_id)`,
  `create table headcount.payments_1 partition of headcount.payments for values in (1)`,
  `create table headcount.payments_2 partition of headcount.payments default`,
  `insert into headcount.payments select * from headcount.payments_whole order by account_id, event_id, response_id`,
  `drop table headcount.payments_whole cascade`,
]

async function run(s: CommandStage, ...statements: readonly string[]): Promise<void> {
  await using database = await s.place.open()
  await database.transaction(async (trx) => {
    for (const statement of statements) {
      if (/^(?:begin|commit)/.test(statement)) continue
      const [text = '', isScript] = statement.split(/\\(?=gexec)/)
      const { rows } = await trx.query(text)
      if (isScript !== undefined) for (const [made] of rows) await trx.query(String(made))
    }
  })
}

async function counted(s: CommandStage, table: string): Promise<unknown> {
  await using database = await s.place.open()
  const found = await database.transaction((trx) =>
    trx.query(`select account_id, count(*)::int from headcount.${table} group by 1 order by 1`),
  )
  return found.rows
}

/** Two accounts of one mirror, each with the same four payments. */
async function twoAccounts(account: Account): Promise<CommandStage> {
  const s = await commandStage('postgres', account)
  await s.run(['sync', '-q'])
  await s.run(['sync', '-q', '--account', 'north', '--new-account'])
  return s
}

const paid = () => {
  const account = accountOf({})
  account.add('gala', 0)
  for (const id of [1, 2, 3, 4]) account.of('gala').push(responseItem(id, { amount: '12.00' }))
  return account
}

test('responses in parts: doctor finds them, a backup and a move have them, and runs go on', async () => {
  const account = paid()
  await using s = await twoAccounts(account)
  await divideResponses(s)
  const { stdout } = await s.run(['doctor', '--account', 'north'])
  expect(stdout).toMatch(/^ok +schema +up to date/m)
  expect((await s.run(['tables', 'responses'])).code).toBe(0)
  account.of('gala').pop()
  await s.run(['sync', '-q', '--account', 'north'])
  expect(await counted(s, 'responses')).toEqual([
    [1, 4],
    [2, 3],
  ])

  await using folder = await mkdtempDisposable(join(tmpdir(), 'headcount-test-parts-'))
  const backup = await backupMirror({ database: s.place.url, file: join(folder.path, 'mirror.tar.gz') })
  expect(backup.tables).toContainEqual(expect.objectContaining({ table: 'responses', rows: 7 }))
  await using target = await freshPlace('postgres', { blank: true })
  const { tables } = await moveMirror({ database: s.place.url, to: target.url })
  expect(tables).toContainEqual(expect.objectContaining({ table: 'responses', rows: 7 }))
  expect((await readRows(target.url))['responses']).toHaveLength(7)
})

test('an account that is removed takes no row of another part with it', async () => {
  await using s = await twoAccounts(paid())
  await run(s, ...DIVIDED)
  expect(await counted(s, 'payments')).toEqual([
    [1, 4],
    [2, 4],
  ])
  expect((await s.run(['accounts', 'remove', 'north', '--yes'])).code).toBe(0)
  expect(await counted(s, 'payments')).toEqual([[1, 4]])
})

test('prune deletes old versions alone, where history is in parts by year', async () => {
  await using s = await twoAccounts(paid())
  await run(
    s,
    `alter table headcount.response_history rename to history_whole`,
    `create table headcount.response_history (like headcount.history_whole including all) partition by range (valid_to)`,
    `create table headcount.history_2024 partition of headcount.response_history for values from (minvalue) to ('2025-01-01Z')`,
    `create table headcount.history_2025 partition of headcount.response_history for values from ('2025-01-01Z') to (maxvalue)`,
    `insert into headcount.response_history (account_id, event_id, response_id, valid_from, valid_to, operation, document, ended_by_run_id)
     select 1, 'gala', 1, day, day + interval '1 day', 'update', '{"id": 1}', 1
       from generate_series(timestamptz '2024-12-25Z', '2025-01-06Z', interval '1 day') day`,
  )
  // Six versions stand in the first part, and seven in the second, at the same places.
  expect((await s.run(['prune', '--history-before', '2024-12-31T12:00:00Z', '--yes'])).code).toBe(0)
  expect(await counted(s, 'history_2024')).toEqual([])
  expect(await counted(s, 'history_2025')).toEqual([[1, 7]])
})
