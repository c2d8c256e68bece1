/** Row security on the tables of the mirror: rows that it hides from the role of a command are not taken for missing ones. */
import { randomUUID } from 'node:crypto'
import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connect, type Database } from '../../../../src/db/connect.ts'
import { openSnapshot } from '../../../../src/server/stores/mirror/snapshot.ts'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import { commandStage, type CommandStage } from '../../../support/commands/command-stage.ts'
import { change } from '../../../support/databases/older-schema.ts'

const key = { HEADCOUNT_PERSON_KEY: 'a key of the suppression list for tests only' }

/** Every table that a command may have changed, as its superuser sees it. */
async function contentsOf(database: Database): Promise<unknown> {
  const { rows } = await database.transaction((trx) =>
    trx.query(
      `select t::text from headcount.responses t union all select t::text from headcount.response_history t
       union all select t::text from headcount.suppressions t order by 1`,
    ),
  )
  return rows
}

/** A role that may read and write every table of the mirror, and owns none. */
async function makeTenant(owner: Database, { place }: CommandStage) {
  const role = `tenant_${randomUUID().slice(0, 8)}`
  await change(owner, [
    `create role ${role} login password 'tenant'`,
    `grant usage on schema headcount to ${role}`,
    `grant all on all tables in schema headcount to ${role}`,
    `grant all on all sequences in schema headcount to ${role}`,
  ])
  const url = new URL(place.url)
  Object.assign(url, { username: role, password: 'tenant' })
  return { role, url: url.href }
}

test('a role from which row security hides rows gets an error, and changes, copies and serves nothing', async () => {
  const account = accountOf({ gala: 20 })
  await using s = await commandStage('postgres', account)
  await using files = await mkdtempDisposable(join(tmpdir(), 'headcount-test-row-security-'))
  await using owner = await connect(s.place.url)
  expect((await s.run(['sync', '-q'])).code).toBe(0)
  const { role, url } = await makeTenant(owner, s)
  const env = { ...key, DATABASE_URL: url }
  const copy = join(files.path, 'mirror.tar.gz')
  const commands = [
    ['sync', '--all'],
    ['sync', '--all', '--dry-run'],
    ['backfill'],
    ['verify'],
    ['backup', copy],
    ['person', 'show', 'guest7@example.org'],
    ['person', 'erase', 'guest7@example.org', '--yes'],
  ]
  // As long as it hides nothing, all of these do their work.
  expect(await s.run(['verify'], { env })).toMatchObject({ code: 0 })

  await change(owner, [
    'alter table headcount.responses enable row level security',
    `create policy half on headcount.responses to ${role} using (id % 2 = 0) with check (true)`,
  ])
  account.of('gala').splice(4, 3, responseItem(6, { name: 'Edited' }))
  const before = await contentsOf(owner)
  for (const command of commands) {
    const refused = await s.run(command, { env })
    expect(refused, command.join(' ')).toMatchObject({ code: 5 })
    expect(refused.stderr).toMatch(
      /row-level security policy for table "responses"\. Row security hides rows of the mirror from the role of the database URL: use the role that owns/,
    )
  }
  expect(await contentsOf(owner)).toEqual(before)
  expect(await readdir(files.path)).toEqual([])
  await using database = await connect(url)
  {
    await using snapshot = await openSnapshot(database)
    await expect(snapshot.trx.query('select from headcount.responses')).rejects.toThrow(/row-level security/)
    await snapshot.trx.query('rollback')
  }

  const examined = await s.run(['doctor'], { env })
  expect(examined.code).toBe(5)
  expect(examined.stdout.replaceAll(/\s+/g, ' ')).toContain(
    `row security hides rows of responses from ${role}, and a run would take them for missing ones: use postgres, who owns them, or a role with BYPASSRLS`,
  )
  // What asks shows what the policy shows.
  expect((await s.run(['query', 'select count(*) from responses'], { env })).stdout).toBe('count\n10\n')

  // Its owner, and a role with the attribute, see everything.
  expect((await s.run(['sync', '-q', '--all'])).code).toBe(0)
  await change(owner, [`alter role ${role} bypassrls`])
  for (const command of [['verify'], ['backup', copy], ['doctor']])
    expect(await s.run(command, { env }), command.join(' ')).toMatchObject({ code: 0 })
  await change(owner, [
    `drop policy half on headcount.responses`,
    `drop owned by ${role}`,
    `drop role ${role}`,
  ])
})

test('a trigger whose function asks a table with row security ends a run, and the error says how to let it', async () => {
  const account = accountOf({ gala: 2 })
  await using s = await commandStage('postgres', account)
  await using owner = await connect(s.place.url)
  expect((await s.run(['sync', '-q'])).code).toBe(0)
  const { role, url } = await makeTenant(owner, s)
  await change(owner, [
    `create table public.heard (name text)`,
    `grant insert on public.heard to ${role}`,
    `alter table public.heard enable row level security`,
    `create policy everyone on public.heard for insert with check (true)`,
    `create function public.hear() returns trigger language plpgsql as $$
     begin insert into public.heard values (new.name); return new; end $$`,
    `create trigger hear after update on headcount.responses for each row execute function public.hear()`,
  ])
  const env = { DATABASE_URL: url }
  account.of('gala').splice(0, 1, responseItem(1, { name: 'Edited' }))
  const refused = await s.run(['sync'], { env })
  expect(refused.code).toBe(5)
  const remedy = 'alter function public.hear() set row_security = on'
  expect(refused.stderr).toContain(
    `row-level security policy for table "heard", in the function public.hear(). Let the policies hold in that function: ${remedy}\n`,
  )
  await change(owner, [remedy])
  expect(await s.run(['sync', '-q'], { env })).toMatchObject({ code: 0 })
  const heard = await owner.transaction((trx) => trx.query('select name from public.heard'))
  expect(heard.rows).toContainEqual(['Edited'])
  await change(owner, [`drop owned by ${role}`, `drop role ${role}`])
})
