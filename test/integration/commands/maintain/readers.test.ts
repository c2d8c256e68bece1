/** Roles that may read: what each kind reads and is refused, also after a migration; and what the page says of a role that syncs. */
import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { connect, type Database } from '../../../../src/db/connect.ts'
import { migrate, migrateWithin, SCHEMA_VERSION } from '../../../../src/db/migrate.ts'
import {
  READABLE_BY_NOBODY,
  READABLE_WITH_PERSONAL,
  READABLE_WITHOUT_PERSONAL,
  UNUSED_BY_RUNS,
} from '../../../../src/db/readers/readable.ts'
import { addReader, removeReader } from '../../../../src/index.ts'
import { readSchemaDescription } from '../../../../src/mirror/query/describe-schema.ts'
import { applyPlan, planReader } from '../../../../src/mirror/readers/readers.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import {
  onPostgresCommandStage,
  commandStage,
  type CommandStage,
} from '../../../support/commands/command-stage.ts'
import { projectFolder } from '../../../support/commands/npm.ts'
import { freshMirror, onServer } from '../../../support/databases/databases.ts'
import { applyUpTo, change } from '../../../support/databases/older-schema.ts'

const all = [...READABLE_WITHOUT_PERSONAL, ...READABLE_WITH_PERSONAL, ...READABLE_BY_NOBODY].toSorted()

async function urlOf(database: string, role: string): Promise<string> {
  await onServer(`alter role "${role}" password 'reader'`)
  const url = new URL(database)
  Object.assign(url, { username: encodeURIComponent(role), password: 'reader' })
  return url.href
}

/** A role's own connection. */
async function asRole(
  database: string,
  role: string,
): Promise<AsyncDisposable & { readonly client: Client }> {
  const client = new Client(await urlOf(database, role))
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

/** Which of the relations the role can read. */
async function readable(database: string, role: string): Promise<readonly string[]> {
  await using connection = await asRole(database, role)
  const found: string[] = []
  for (const name of all)
    await connection.client.query(`select * from headcount.${name} limit 1`).then(
      () => found.push(name),
      (error: unknown) => expect(String(error)).toMatch(/permission denied|does not exist/),
    )
  return found
}

const exportOf = (view: string, ...flags: readonly string[]) => [
  'export',
  '--out',
  '-',
  '--view',
  view,
  ...flags,
]

/** No copy is made by this role: it is told whose work that is, and nothing is left. */
async function expectNoCopy(s: CommandStage, env: Readonly<Record<string, string>>) {
  await using files = await mkdtempDisposable(join(tmpdir(), 'headcount-test-readers-'))
  for (const copy of [
    ['backup', join(files.path, 'mirror.tar.gz')],
    ['move', '--to', `pglite:${join(files.path, 'copy')}`],
  ])
    expect(await s.run(copy, { env }), copy.join(' ')).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/may not read the whole mirror\. .* use the role that owns the mirror/),
    })
  expect(await readdir(files.path)).toEqual([])
}

const nameOf = (kind: string, url: string) => `${kind}_${new URL(url).pathname.slice(1, 20)}`

async function serverVersion({ kysely }: Database): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version`.execute(kysely)
  return rows[0]?.version ?? 0
}

async function dropRole(url: string, role: string) {
  await using database = await connect(url)
  await change(database, [`drop owned by "${role}"`, `drop role "${role}"`])
}

test('every table and view is for one kind of reader, or for nobody', async () => {
  await using mirror = await freshMirror('postgres')
  const { tables, views } = await mirror.database.transaction(readSchemaDescription, { readOnly: true })
  expect([...tables, ...views].map(({ name }) => name).toSorted()).toEqual(all)
})

onPostgresCommandStage('readers', (stage) => {
  test('of each kind read what they may, write nothing, and lose everything when they are removed', async () => {
    const account = accountOf({ gala: 3, picnic: 1 })
    await using s = await stage(account)
    await using files = await mkdtempDisposable(join(tmpdir(), 'headcount-test-readers-'))
    const [ann, ben] = [nameOf('Ann B.', s.place.url), nameOf('ben', s.place.url)]
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    account.remove('picnic')
    expect((await s.run(['sync', '-q', '--accept-deletions'])).code).toBe(0)

    const printed = await s.run(['readers', 'add', ann])
    expect(printed.stdout).toMatch(new RegExp(`^begin;\\ncreate role "${ann}" login;\\n`))
    expect(printed.stderr).toContain(`\\password "${ann}" sets one.`)
    expect((await s.run(['readers'])).stdout).toBe('No readers yet.\n')
    await using owner = await connect(s.place.url)
    await sendAll(owner, printed.stdout)
    expect((await s.run(['readers', 'add', ben, '--without-personal', '--apply'])).code).toBe(0)
    expect(JSON.parse((await s.run(['readers', 'list', '--json'])).stdout)).toMatchObject({
      readers: [
        { role_name: ann, with_personal: true, exists: true },
        { role_name: ben, with_personal: false, exists: true },
      ],
    })

    expect(await readable(s.place.url, ann)).toEqual(
      [...READABLE_WITHOUT_PERSONAL, ...READABLE_WITH_PERSONAL].toSorted(),
    )
    expect(await readable(s.place.url, ben)).toEqual(READABLE_WITHOUT_PERSONAL.toSorted())
    {
      await using connection = await asRole(s.place.url, ann)
      const { client } = connection
      expect((await client.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '30s' }])
      expect((await client.query('show jit')).rows).toEqual([{ jit: 'off' }])
      expect((await client.query('select * from headcount.responses_at(now())')).rows).toHaveLength(3)
      await expect(client.query('create table t ()')).rejects.toThrow(/read-only|permission denied/)
      await client.query('set default_transaction_read_only = off')
      await expect(client.query('delete from headcount.responses')).rejects.toThrow(/permission denied/)
    }
    {
      await using connection = await asRole(s.place.url, ben)
      await expect(connection.client.query('select * from headcount.responses_at(now())')).rejects.toThrow(
        /permission denied/,
      )
      await expect(connection.client.query('select email from headcount.accounts')).rejects.toThrow(
        /permission denied/,
      )
    }

    // They are who query is for.
    for (const [role, commands] of [
      [
        ann,
        [
          ['query', 'table events'],
          ['tables'],
          ['events', '--all'],
          ['event', 'gala'],
          ['who-comes', 'gala'],
          ['thin', '--account', 'default'],
          ['event', 'gala', '--account', 'default'],
          ['export', '--out', '-', '--view', 'response_history', '--event', 'picnic'],
          ['export', '--out', '-', '--view', 'responses', '--event', 'gala', '--account', 'default'],
          ['export', '--out', join(files.path, 'ann'), '-q'],
          ['export', '--out', join(files.path, 'books of ann'), '--format', 'xlsx', '-q'],
        ],
      ],
      [
        ben,
        [
          ['query', 'table event_summary'],
          ['tables'],
          ['events', '--all'],
          ['thin'],
          ['events', '--account', 'default'],
          ['export', '--out', '-', '--view', 'events', '--event', 'gala', '--without-personal'],
          ['export', '--out', '-', '--view', 'changes', '--event', 'picnic', '--without-personal'],
          ['export', '--out', '-', '--view', 'payments', '--event', 'gala', '--account', 'default'],
          ['export', '--out', join(files.path, 'ben'), '--without-personal', '-q'],
          [
            'export',
            '--out',
            join(files.path, 'books of ben'),
            '--without-personal',
            '--format',
            'xlsx',
            '-q',
          ],
        ],
      ],
    ] as const)
      for (const args of commands) {
        const env = { DATABASE_URL: await urlOf(s.place.url, role) }
        expect(await s.run(args, { env }), args.join(' ')).toMatchObject({ code: 0, stderr: '' })
      }

    // What is not there is told to them as to the owner.
    for (const [role, args, message] of [
      [ann, ['event', 'galaa'], /no event "galaa" \(did you mean gala\?\)/],
      [ben, ['events', '--account', 'defualt'], /no account "defualt"; it has default\./],
      [ann, exportOf('responses', '--event', 'galaa'), /no event "galaa" \(did you mean gala\?\)/],
      [ben, exportOf('payments', '--event', 'galaa'), /no event "galaa" \(did you mean gala\?\)/],
      [ben, exportOf('payments', '--account', 'defualt'), /no account "defualt"; it has default\./],
      [ben, exportOf('events', '--event', 'gala'), /may not read events\. .* export without personal data/],
    ] as const) {
      const { code, stderr } = await s.run(args, { env: { DATABASE_URL: await urlOf(s.place.url, role) } })
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
    }

    for (const role of [ann, ben]) await expectNoCopy(s, { DATABASE_URL: await urlOf(s.place.url, role) })

    // As of a role that somebody made by hand.
    await change(owner, [`revoke all on headcount.accounts from "${ann}"`])
    expect(
      await s.run(exportOf('slots', '--format', 'xlsx'), {
        env: { DATABASE_URL: await urlOf(s.place.url, ann) },
      }),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`grant select (id, time_zone) on headcount.accounts to "${ann}"`),
    })

    // One becomes the other kind, and keeps nothing of the first.
    await addReader({ database: s.place.url, role: ann, withoutPersonal: true, apply: true })
    expect(await readable(s.place.url, ann)).toEqual(READABLE_WITHOUT_PERSONAL.toSorted())
    await removeReader({ database: s.place.url, role: ann, apply: true })
    expect(await readable(s.place.url, ann)).toEqual([])
    {
      await using connection = await asRole(s.place.url, ann)
      await expect(connection.client.query('select time_zone from headcount.accounts')).rejects.toThrow(
        /permission denied/,
      )
    }
    expect((await s.run(['readers', 'remove', ben, '--apply'])).code).toBe(0)
    await dropRole(s.place.url, ann)
    await dropRole(s.place.url, ben)
  })

  test('are refused where nothing binds the role, or there is none, with the nearest', async () => {
    await using s = await stage(accountOf({}))
    expect((await s.run(['migrate'])).code).toBe(0)
    const ann = nameOf('ann', s.place.url)
    await addReader({ database: s.place.url, role: ann, apply: true })
    const superuser = new URL(s.place.url).username
    const member = nameOf('member', s.place.url)
    await onServer(`create role "${member}" login`)
    await onServer(`grant pg_read_all_data to "${member}"`)
    const refused = [
      [['add', superuser], 'is a superuser: nothing binds it to reading. Name another one, like '],
      [['add', 'pg_ann'], 'Postgres keeps the name "pg_ann" for itself.'],
      [['add', 'public'], 'Postgres keeps the name "public" for itself.'],
      [['add', 'x'.repeat(64)], 'is longer than 63 bytes.'],
      [['add', ''], 'A reader needs a name.'],
      [
        ['add', member],
        `may read accepted_rejects besides, for it is a member of "pg_read_all_data". Take that away`,
      ],
      [['remove', 'somebody-else'], 'has no reader "somebody-else". See all'],
      [['remove', `${ann}x`], `has no reader "${ann}x" (did you mean ${ann}?)`],
    ] as const
    for (const [args, message] of refused) {
      const { code, stdout, stderr } = await s.run(['readers', ...args, '--apply'])
      expect([code, stdout], args.join(' ')).toEqual([2, ''])
      expect(stderr).toContain(message)
    }
    await dropRole(s.place.url, member)
    await using owner = await connect(s.place.url)
    await change(owner, ['grant select (email) on headcount.accounts to public'])
    expect((await s.run(['readers', 'add', nameOf('new', s.place.url)])).stderr).toMatch(
      /may read accounts besides, for everybody may\. Take that away \(revoke all on headcount\."accounts" from public\)/,
    )
    await change(owner, ['revoke select (email) on headcount.accounts from public'])
    const add = async () => (await s.run(['readers', 'add', nameOf('new', s.place.url)])).stderr
    await change(owner, ['grant delete on headcount.responses to public'])
    expect(await add()).toMatch(/may write responses besides, for everybody may\./)
    await change(owner, ['revoke delete on headcount.responses from public'])
    await change(owner, ['grant create on schema public to public'])
    expect(await add()).toMatch(
      /may create functions in schema public besides, for everybody may\. Take that away \(revoke create on schema "public" from public\)/,
    )
    const warned = (await s.run(['doctor'])).stdout
    expect(warned).toMatch(/everybody may put functions into the schema public/)
    expect(warned).toMatch(/^ok +schema +up to date/m)
    await change(owner, ['revoke create on schema public from public'])
    await dropRole(s.place.url, ann)
    expect((await s.run(['readers'])).stdout).toMatch(/the role is gone$/m)
    await onServer(`create role "${ann}" login`)
    expect((await s.run(['readers'])).stdout).toMatch(/the role was made anew: add it again$/m)
    await dropRole(s.place.url, ann)
    expect((await s.run(['readers', 'remove', ann, '--apply'])).stderr).toBe(
      `${ann} may not read the mirror any more.\n`,
    )
    expect((await s.run(['readers'])).stdout).toBe('No readers yet.\n')
  })

  test('are refused where the role may do more than read, with the statement that takes it away', async () => {
    await using s = await stage(accountOf({}))
    expect((await s.run(['migrate'])).code).toBe(0)
    const [eve, group, place] = [
      nameOf('eve', s.place.url),
      nameOf('group', s.place.url),
      new URL(s.place.url).pathname.slice(1),
    ]
    await using owner = await connect(s.place.url)
    await change(owner, [
      `create role "${eve}" login`,
      `create role "${group}"`,
      `grant "${group}" to "${eve}"`,
      'create schema headcount_queue',
    ])
    const version = await serverVersion(owner)
    const predefined = sql<{ name: string }>`
      select rolname as name from pg_roles
       where starts_with(rolname, 'pg_') and rolname not in ('pg_database_owner', 'pg_use_reserved_connections')`
    const ofPostgres = (await predefined.execute(owner.kysely)).rows.map(({ name }) => name)
    expect(ofPostgres).toContain('pg_execute_server_program')
    const asGroup = `for it is a member of "${group}". Take that away (revoke "${group}" from "${eve}")`
    const refused = [
      ...['createrole', 'createdb', 'replication', 'bypassrls'].flatMap(
        (attribute) =>
          [
            [
              `alter role "${eve}" ${attribute}`,
              `alter role "${eve}" no${attribute}`,
              `for it was made so. Take that away (alter role "${eve}" no${attribute})`,
            ],
            [`alter role "${group}" ${attribute}`, `alter role "${group}" no${attribute}`, asGroup],
          ] as const,
      ),
      ...ofPostgres.flatMap(
        (name) =>
          [
            [
              `grant ${name} to "${eve}"`,
              `revoke ${name} from "${eve}"`,
              `for it is a member of "${name}". Take that away (revoke "${name}" from "${eve}")`,
            ],
            [
              `grant ${name} to "${group}"`,
              `revoke ${name} from "${group}"`,
              `Take that away (revoke "${group}" from "${eve}")`,
            ],
          ] as const,
      ),
      ...['trigger', 'references', ...(version >= 170_000 ? ['maintain'] : [])].map(
        (right) =>
          [
            `grant ${right} on headcount.payments to "${group}"`,
            `revoke ${right} on headcount.payments from "${group}"`,
            asGroup,
          ] as const,
      ),
      [
        `grant usage on sequence headcount.sync_runs_id_seq to "${group}"`,
        `revoke all on sequence headcount.sync_runs_id_seq from "${group}"`,
        `may advance sync_runs_id_seq besides, ${asGroup}`,
      ],
      [
        `grant select on headcount.payments to "${group}" with grant option`,
        `revoke all on headcount.payments from "${group}"`,
        `may let others read payments besides, ${asGroup}`,
      ],
      [
        `grant execute on function headcount_internal.default_account() to "${group}"`,
        `revoke execute on function headcount_internal.default_account() from "${group}"`,
        `may call headcount_internal.default_account() besides, ${asGroup}`,
      ],
      [
        `grant create on database "${place}" to "${eve}"`,
        `revoke create on database "${place}" from "${eve}"`,
        `may create schemas in database ${place} besides, for that was granted to it. Take that away (revoke create on database "${place}" from "${eve}")`,
      ],
      [
        `grant usage on schema headcount_queue to "${eve}"`,
        `revoke usage on schema headcount_queue from "${eve}"`,
        'may use schema headcount_queue besides, for that was granted to it.',
      ],
      [
        `alter table headcount.links owner to "${eve}"`,
        `alter table headcount.links owner to current_user`,
        'owns the mirror: nothing binds it to reading.',
      ],
      [
        `alter database "${place}" owner to "${group}"`,
        `alter database "${place}" owner to current_user`,
        'owns the database: nothing binds it to reading.',
      ],
    ] as const
    const add = () => s.run(['readers', 'add', eve, '--without-personal'])
    for (const [give, takeAway, message] of refused) {
      await change(owner, [give])
      const tried = await add()
      expect([tried.code, tried.stdout], give).toEqual([2, ''])
      expect(tried.stderr, give).toContain(message)
      await change(owner, [takeAway])
    }
    if (version >= 160_000) await change(owner, [`grant pg_use_reserved_connections to "${eve}"`])
    expect(await add()).toMatchObject({ code: 0 })
    // A member of a reader of the same kind reads no more than that.
    expect((await s.run(['readers', 'add', group, '--without-personal', '--apply'])).code).toBe(0)
    expect(await add()).toMatchObject({ code: 0 })
    await dropRole(s.place.url, group)
    await dropRole(s.place.url, eve)
  })

  test('are not half granted by a role that may not create roles: it is told what to do', async () => {
    await using s = await stage(accountOf({}), { blank: true })
    const owner = nameOf('owner', s.place.url)
    await onServer(`create role "${owner}" login password 'geheimnis'`)
    await using admin = await connect(s.place.url)
    await change(admin, [
      `grant create on database "${new URL(s.place.url).pathname.slice(1)}" to "${owner}"`,
    ])
    const url = new URL(s.place.url)
    Object.assign(url, { username: owner, password: 'geheimnis' })
    const env = { DATABASE_URL: url.href }
    expect((await s.run(['migrate'], { env })).code).toBe(0)
    const name = nameOf('eve', s.place.url)
    const add = ['add', name, '--without-personal']
    const tried = await s.run(['readers', ...add, '--apply'], { env })
    expect(tried).toMatchObject({ code: 2, stdout: '' })
    expect(tried.stderr).toContain(
      `The role "${owner}" may not create roles. Run as a superuser what this prints: headcount readers ${add.join(' ')}\n`,
    )
    expect((await s.run(['readers', 'add', name, '--apply'])).code).toBe(0)
    expect((await s.run(['readers', 'remove', name, '--apply'], { env })).stderr).toContain(
      `The role "${owner}" may not change roles. Run as a superuser what this prints: headcount readers remove ${name}\n`,
    )
    await s.run(['readers', 'remove', name, '--apply'])
    // One that may create roles may change those alone that it made, from Postgres 16 on.
    await onServer(`alter role "${owner}" createrole`)
    const change16 = await s.run(['readers', ...add, '--apply'], { env })
    if ((await serverVersion(admin)) >= 160_000)
      expect(change16).toMatchObject({
        code: 2,
        stderr: `headcount: The role "${owner}" may not change the role "${name}". Run as a superuser what this prints: headcount readers ${add.join(' ')}\n`,
      })
    await s.run(['readers', 'remove', name, '--apply'])
    await dropRole(s.place.url, name)
    expect((await s.run(['readers', 'add', owner], { env })).stderr).toContain('owns the mirror')
    expect((await s.run(['readers'], { env })).stdout).toBe('No readers yet.\n')
    await dropRole(s.place.url, owner)
  })
})

test('no function looks up what it names in the search path of its caller', async () => {
  await using mirror = await freshMirror('postgres')
  const { rows } = await sql<{ name: string }>`
    select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('headcount', 'headcount_internal') and p.prosqlbody is null
       and p.proconfig is distinct from array['search_path=pg_catalog, pg_temp']`.execute(
    mirror.database.kysely,
  )
  expect(rows).toEqual([])
})

/** Whatever a reader may put where a function that it does not own could find it: each tells what it was given, and as whom. */
const traps = `
  create function pg_temp.tell(value pg_catalog.text) returns boolean language plpgsql as
    'begin raise notice ''%: %'', current_user, value; return true; end';
  create domain pg_temp.text as pg_catalog.text check (pg_temp.tell(value));
  create domain pg_temp.int4 as pg_catalog.int4 check (pg_temp.tell(value::pg_catalog.text));
  create domain pg_temp.timestamptz as pg_catalog.timestamptz check (pg_temp.tell(value::pg_catalog.text));
  create function scratch.jsonb_each(item jsonb, out key pg_catalog.text, out value jsonb) returns setof record
    language plpgsql as 'begin perform pg_temp.tell(item::pg_catalog.text); return query select * from pg_catalog.jsonb_each(item); end';
  create function scratch.sha256(bytes bytea) returns bytea
    language plpgsql as 'begin perform pg_temp.tell(bytes::pg_catalog.text); return pg_catalog.sha256(bytes); end';
  create function scratch.jsonb_typeof(item jsonb) returns pg_catalog.text
    language plpgsql as 'begin perform pg_temp.tell(item::pg_catalog.text); return pg_catalog.jsonb_typeof(item); end';
  create function scratch.normalize(word pg_catalog.text, form pg_catalog.text) returns pg_catalog.text
    language plpgsql as 'begin perform pg_temp.tell(word); return pg_catalog.normalize(word, form); end';
  set search_path = scratch, pg_catalog`

/** In a schema of its own, functions that fit better than those of Postgres, and that give its maker what their caller may read. */
const lure = (schema: string, role: string) => `
  create schema "${schema}";
  grant usage on schema "${schema}" to public;
  create function "${schema}".grab() returns boolean language plpgsql as $$ begin
    execute 'grant usage on schema headcount to "${role}"';
    execute 'grant select on headcount.responses, headcount.person_id_secret to "${role}"';
    return true; end $$;
  create function "${schema}".step(jsonb, jsonb) returns jsonb language sql as 'select null::jsonb';
  create function "${schema}".finish(jsonb) returns jsonb language sql as 'select null::jsonb where "${schema}".grab()';
  create aggregate "${schema}".jsonb_agg(jsonb) (sfunc = "${schema}".step, stype = jsonb, finalfunc = "${schema}".finish);
  create function "${schema}".unnest(text[]) returns setof text language sql
    as 'select pg_catalog.unnest($1) where "${schema}".grab()';
  create function "${schema}".count_step(int, bigint) returns int language sql as 'select 1';
  create function "${schema}".count_end(int) returns bigint language sql as 'select 1::bigint where "${schema}".grab()';
  create aggregate "${schema}".count(bigint) (sfunc = "${schema}".count_step, stype = int, finalfunc = "${schema}".count_end)`

test('no command of the owner calls what a role that may create schemas put into the one of its name', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  expect((await s.run(['sync', '-q'])).code).toBe(0)
  const [eve, owner] = [nameOf('eve', s.place.url), new URL(s.place.url).username]
  await using database = await connect(s.place.url)
  await change(database, [
    `create role "${eve}" login`,
    `grant create on database "${new URL(s.place.url).pathname.slice(1)}" to "${eve}"`,
  ])
  await using connection = await asRole(s.place.url, eve)
  await connection.client.query(lure(owner, eve))
  const env = { HEADCOUNT_PERSON_KEY: 'a key of the suppression list for tests only' }
  for (const command of [
    ['migrate'],
    ['sync', '--all', '-q'],
    ['backfill', '-q'],
    ['verify', '-q'],
    ['status'],
    ['query', `select jsonb_agg('1'::jsonb), count(1::bigint) from unnest('{a}'::text[])`],
    ['events', '--all'],
    ['readers'],
    ['doctor'],
    ['person', 'erase', 'guest1@example.org', '--yes'],
  ])
    expect(await s.run(command, { env }), command.join(' ')).toMatchObject({ code: 0 })
  const single = sql`select jsonb_agg('1'::jsonb), count(1::bigint) from unnest('{a}'::text[])`
  await single.execute(database.kysely)
  expect(await readable(s.place.url, eve)).toEqual([])
  // It works: who looks there calls it.
  await change(database, [
    `set search_path to "$user", public`,
    `select count(1::bigint) from pg_catalog.generate_series(1, 2)`,
  ])
  expect(await readable(s.place.url, eve)).toEqual(['person_id_secret', 'responses'])
  await dropRole(s.place.url, eve)
})

test('no statement of a transaction calls what somebody else put into the schema public', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  await using owner = await connect(s.place.url)
  const called = "language plpgsql as 'begin raise exception ''called''; end'"
  await change(owner, [
    'grant create on schema public to public',
    `create function public.times(int, interval) returns interval ${called}`,
    'create operator public.* (leftarg = int, rightarg = interval, function = public.times)',
  ])
  expect(await s.run(['sync', '-q'])).toMatchObject({ code: 0 })
  const path = async () => (await s.run(['query', `select current_setting('search_path')`])).stdout
  expect(await path()).not.toContain('public')
  await change(owner, ['revoke create on schema public from public'])
  expect(await path()).toContain('headcount, public')
  const app = nameOf('app', s.place.url)
  await change(owner, [`create role ${app}`, `grant create on schema public to ${app}`])
  expect(await path()).not.toContain('public')
  await change(owner, [`drop owned by ${app}`, `drop role ${app}`])
})

test('what a reader puts into its search path or among its temporary types is called by nothing that it reads', async () => {
  const account = accountOf({ gala: 2 })
  account.of('gala').push({ id: 90, name: 'Ada', email: 'ada@example.org', created_at: 'asked by Dora' })
  await using s = await commandStage('postgres', account)
  expect((await s.run(['sync', '-q'])).code).toBe(0)
  const [ann, ben] = [nameOf('ann', s.place.url), nameOf('ben', s.place.url)]
  await addReader({ database: s.place.url, role: ann, apply: true })
  await addReader({ database: s.place.url, role: ben, withoutPersonal: true, apply: true })
  await using owner = await connect(s.place.url)
  for (const role of [ann, ben]) {
    await change(owner, ['create schema scratch', 'grant all on schema scratch to public'])
    await using connection = await asRole(s.place.url, role)
    const { client } = connection
    const told: unknown[] = []
    client.on('notice', ({ message }) => told.push(message))
    await client.query('set default_transaction_read_only = off')
    await client.query(traps)
    // They work: what the reader itself calls is told.
    await client.query(`select 'its own'::text`)
    expect(told.splice(0)).toEqual([`${role}: its own`])
    for (const name of await readable(s.place.url, role))
      await client.query(`select * from headcount.${name}`)
    if (role === ann)
      for (const name of ['events_at', 'responses_at', 'payments_at', 'slots_at'])
        await client.query(`select * from headcount.${name}(now()) a, headcount.${name}('default', now()) b`)
    await client.query(
      `select headcount.email_key('a@b'), headcount.people_of('yes', 'coming', 'reply', 1, false)`,
    )
    expect(told, role).toEqual([])
    await change(owner, ['drop schema scratch cascade'])
  }
  await dropRole(s.place.url, ann)
  await dropRole(s.place.url, ben)
})

test('a migration grants readers anew: new views are readable, and nothing else', async () => {
  await using mirror = await freshMirror('postgres', { blank: true })
  const { database, url } = mirror
  await applyUpTo(database, 19)
  const [ann, ben] = [nameOf('ann', url), nameOf('ben', url)]
  const [gone, other] = [nameOf('gone', url), nameOf('other', url)]
  for (const [role_name, with_personal] of [
    [ann, true],
    [ben, false],
    [gone, true],
    [other, true],
  ] as const)
    await database.transaction(async (trx) =>
      applyPlan(trx, await planReader(trx, { role_name, with_personal }), 'add'),
    )
  await dropRole(url, gone)
  // Somebody else has the name of a reader who was dropped.
  await dropRole(url, other)
  await onServer(`create role "${other}" login`)
  // What an owner may have said once for every table to come.
  await change(database, [
    `alter default privileges in schema headcount grant select on tables to "${ann}", "${ben}"`,
  ])
  expect(await readable(url, ben)).toEqual(['payments'])
  await migrate(database)
  expect(await readable(url, ann)).toEqual(
    [...READABLE_WITHOUT_PERSONAL, ...READABLE_WITH_PERSONAL].toSorted(),
  )
  expect(await readable(url, ben)).toEqual(READABLE_WITHOUT_PERSONAL.toSorted())
  expect(await readable(url, other)).toEqual([])
  for (const role of [ann, ben, other]) await dropRole(url, role)
})

test('where a trigger of the database turns row security on for new tables, a reader who would see nothing is told of, with what to do', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }), { blank: true })
  await using owner = await connect(s.place.url)
  await change(owner, [
    `create function public.turn_on() returns event_trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
     declare made record;
     begin
       for made in select * from pg_event_trigger_ddl_commands() where object_type = 'table' loop
         execute 'alter table ' || made.object_identity || ' enable row level security';
       end loop;
     end $$`,
    `create event trigger ensure_rls on ddl_command_end when tag in ('CREATE TABLE') execute function public.turn_on()`,
  ])
  expect((await s.run(['sync', '--quiet'])).code).toBe(0)
  const role = `hidden_${new URL(s.place.url).pathname.slice(1)}`.slice(0, 63)
  await using _ = { [Symbol.asyncDispose]: () => onServer(`drop role "${role}"`) }
  await using _rights = {
    [Symbol.asyncDispose]: () => removeReader({ database: s.place.url, role, apply: true }).then(() => {}),
  }
  const added = await s.run(['readers', 'add', role, '--without-personal', '--apply'])
  expect(added.code).toBe(0)
  expect(added.stderr).toMatch(
    /Row security shows it no row of headcount\.accounts, headcount\.payments\. Give it a policy, or run:\nalter table headcount\.accounts disable row level security;\nalter table headcount\.payments disable row level security;\n$/,
  )
  const { hidden_tables } = await addReader({ database: s.place.url, role, apply: true })
  expect(hidden_tables).toHaveLength(7)
  const counts = async () => {
    await using reader = await asRole(s.place.url, role)
    const { rows } = await reader.client.query<object>(
      'select (select count(*)::int from headcount.responses) as of_table, (select count(*)::int from headcount.response_details) as of_view',
    )
    return rows[0]
  }
  expect(await counts()).toEqual({ of_table: 0, of_view: 3 })
  const doctor = async () => (await s.run(['doctor'])).stdout.replaceAll(/\s+/g, ' ')
  const found = await doctor()
  expect(found).toMatch(
    /warning schema .* row security shows hidden_\w+ no row of .*headcount\.responses.*, and views show them all/,
  )
  await change(owner, ['create policy shown on headcount.responses for select using (true)'])
  const statements = found.match(/alter table headcount\.\w+ disable row level security/g) ?? []
  expect(statements).toEqual(hidden_tables.map((table) => `alter table ${table} disable row level security`))
  await change(
    owner,
    statements.filter((statement) => !statement.includes('headcount.responses ')),
  )
  expect(await doctor()).toMatch(/ok schema up to date/)
  expect(await counts()).toEqual({ of_table: 3, of_view: 3 })
})

test('a reader with the schema of docs/operate/permissions.md makes tables there, and changes nothing in the mirror', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  expect((await s.run(['sync', '-q'])).code).toBe(0)
  const role = nameOf('tool', s.place.url)
  const add = () => s.run(['readers', 'add', role, '--apply'])
  expect((await add()).code).toBe(0)
  const page = await readFile(join(projectFolder, 'docs/operate/permissions.md'), 'utf8')
  const statements = (/^ {4}create schema analytics (?:.*\n)+?(?=\n)/m.exec(page)?.[0] ?? '')
    .replaceAll(/\bann\b/g, `"${role}"`)
    .replaceAll('database headcount', `database "${new URL(s.place.url).pathname.slice(1)}"`)
    .split(';')
    .slice(0, -1)
  expect(statements).toHaveLength(3)
  await using owner = await connect(s.place.url)
  await change(owner, statements)
  const asTool = async (text: string) => {
    await using tool = await asRole(s.place.url, role)
    const { rows } = await tool.client.query<{ n: number }>(text)
    return rows
  }
  await asTool('create table analytics.own as select * from headcount.responses')
  await asTool('create view analytics.summary as select * from headcount.event_summary')
  await asTool('create materialized view analytics.people as select * from headcount.event_respondents')
  expect(await asTool('select responses::int as n from analytics.summary')).toEqual([{ n: 3 }])
  await expect(asTool('delete from headcount.responses')).rejects.toThrow('permission denied')
  await expect(asTool('create view headcount.own as select 1 as n')).rejects.toThrow('permission denied')

  // It is a reader all the same; the defaults are set anew.
  expect((await add()).code).toBe(0)
  await expect(asTool('create table analytics.other as select 1 as n')).rejects.toThrow('read-only')
  await change(owner, statements.slice(1))
  await asTool('create table analytics.other as select 1 as n')

  expect((await s.run(['readers', 'remove', role, '--apply'])).code).toBe(0)
  await expect(asTool('select responses::int as n from analytics.summary')).rejects.toThrow(
    'permission denied',
  )
  expect(await asTool('select count(*)::int as n from analytics.own')).toEqual([{ n: 3 }])
  await dropRole(s.place.url, role)
})

test('PGlite has no roles', async () => {
  await using s = await commandStage('pglite', accountOf({}))
  expect((await s.run(['migrate'])).code).toBe(0)
  const tried = await s.run(['readers', 'add', 'ann', '--apply'])
  expect(tried).toMatchObject({ code: 2, stdout: '' })
  expect(tried.stderr).toMatch(
    /PGlite has one role, which may do everything, so it has no readers\. Mirror into a Postgres, or/,
  )
})

test('a role with the grants of docs/operate/permissions.md syncs, and reads no key and no secret', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  expect((await s.run(['migrate'])).code).toBe(0)
  const role = nameOf('sync', s.place.url)
  const page = await readFile(join(projectFolder, 'docs/operate/permissions.md'), 'utf8')
  const [, grants = ''] = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, text = '']) => text)
  expect(grants).toContain('create role headcount_sync')
  await using owner = await connect(s.place.url)
  await sendAll(owner, grants.replaceAll('headcount_sync', `"${role}"`))
  const url = new URL(s.place.url)
  Object.assign(url, { username: role, password: encodeURIComponent('choose a third') })
  const env = { DATABASE_URL: url.href }
  for (const command of [['sync', '-q'], ['backfill', '-q'], ['verify', '-q'], ['status'], ['doctor']])
    expect(await s.run(command, { env }), command.join(' ')).toMatchObject({ code: 0 })
  await expectNoCopy(s, env)
  const added = await s.run(['readers', 'add', role, '--apply'])
  expect(added).toMatchObject({ code: 2, stdout: '' })
  expect(added.stderr).toContain(
    'may write the mirror, as a sync does, and could not any more. Name another one',
  )
  const read = await readable(s.place.url, role)
  expect(all.filter((name) => !read.includes(name))).toEqual(['api_keys', 'person_id_secret', 'readers'])
  expect(read.filter((name) => UNUSED_BY_RUNS.includes(name))).toEqual([])
  await change(owner, [
    `revoke insert, update on headcount.events, headcount.slots from "${role}"`,
    `revoke select on headcount.rejects from "${role}"`,
  ])
  const again = { env: { DATABASE_URL: await urlOf(s.place.url, role) } }
  const examined = await s.run(['doctor'], again)
  expect(examined.code).toBe(5)
  const told = examined.stdout.replaceAll(/\s+/g, ' ')
  const remedy = `grant select, insert, update, delete on headcount.events, headcount.rejects, headcount.slots to ${role}`
  expect(told).toContain(`${role} may not read and write events, rejects, slots: ${remedy}`)
  expect(told).not.toContain('migrations')
  await change(owner, [remedy])
  expect((await s.run(['doctor'], again)).code).toBe(0)

  await change(owner, ['revoke execute on function headcount.email_key(text) from public'])
  const ofFunctions = `grant execute on all functions in schema headcount, headcount_internal to ${role}`
  expect(await s.run(['doctor'], again)).toMatchObject({
    code: 5,
    stdout: expect.stringContaining(
      `${role} may not call 1 function of the mirror, as headcount.email_key(text): ${ofFunctions}\n`,
    ),
  })
  await change(owner, [ofFunctions, `revoke select on headcount.event_summary from ${role}`])
  expect((await s.run(['events'], again)).stderr).toMatch(/denied for view event_summary.*doctor/)
  const ofViews = `grant select on headcount.event_summary to ${role}`
  expect(await s.run(['doctor'], again)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`warning +database .*${ofViews}\\n`)),
  })
  await change(owner, [ofViews])
  expect((await s.run(['events'], again)).code).toBe(0)
  expect((await s.run(['doctor'], again)).stdout).not.toMatch(/warning +database/)
  await dropRole(s.place.url, role)
})

test('a role that syncs is told who has to migrate, by a run and by doctor, whatever it may create', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }), { blank: true })
  await using owner = await connect(s.place.url)
  await owner.transaction((trx) => migrateWithin(trx, SCHEMA_VERSION - 1))
  const role = nameOf('sync', s.place.url)
  await change(owner, [
    `create role "${role}" login`,
    `grant usage, create on schema headcount to "${role}"`,
    `grant select, insert, update, delete on all tables in schema headcount to "${role}"`,
  ])
  const env = { DATABASE_URL: await urlOf(s.place.url, role) }
  const remedy = `The role ${role} does not own the mirror's tables, so that it may not change them. Run headcount migrate as their owner, postgres`
  const run = await s.run(['sync'], { env })
  expect(run.code).toBe(5)
  expect(run.stderr).toContain(
    `The mirror's schema is at version ${SCHEMA_VERSION - 1}, this program needs ${SCHEMA_VERSION}. ${remedy}`,
  )
  const examined = await s.run(['doctor'], { env })
  expect(examined.code).toBe(5)
  expect(examined.stdout.replaceAll(/\s+/g, ' ')).toContain(`migrations are pending. ${remedy}`)
  expect((await s.run(['migrate'])).code).toBe(0)
  expect((await s.run(['sync', '-q'], { env })).code).toBe(0)
  await dropRole(s.place.url, role)
})

/** Statements as they are printed, without the beginning and the end of the transaction. */
async function sendAll(database: Database, text: string) {
  const statements = text.split(';\n').filter((statement) => !/^\s*(begin|commit)?\s*$/.test(statement))
  await change(database, statements)
}
