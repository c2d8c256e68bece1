import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { freshMirror, freshPlace, onBoth, onServer } from '../../support/databases/databases.ts'
import { blankPglite } from '../../support/databases/lending.ts'

/** What Postgres gives for each expression, on both drivers, whatever the session's time zone. */
const values: readonly (readonly [expression: string, value: unknown])[] = [
  ['1::int2', 1],
  ['(-2147483648)::int4', -2147483648],
  ['9007199254740993::int8', '9007199254740993'],
  ['12.50::numeric', '12.50'],
  ['0.1::numeric + 99999999999999999999', '99999999999999999999.1'],
  [`'NaN'::numeric`, 'NaN'],
  ['0.1::float8', 0.1],
  ['1.5::float4', 1.5],
  [`'Infinity'::float8`, Infinity],
  ['true', true],
  ['false', false],
  [`'ÄÖ \u{1F600} "\\'::text`, 'ÄÖ \u{1F600} "\\'],
  [`'\uFEFFgala'::text`, '\uFEFFgala'],
  [`'\uFEFF\uFEFF'::text`, '\uFEFF\uFEFF'],
  [`array['\uFEFFa']::text[]`, ['\uFEFFa']],
  [`'x'::varchar(3)`, 'x'],
  [`'x'::char(3)`, 'x  '],
  [`'x'::"char"`, 'x'],
  [`'headcount'::name`, 'headcount'],
  [`'\\x00ff'::bytea`, '\\x00ff'],
  [`'2024-02-29'::date`, '2024-02-29'],
  [`'0044-03-15 BC'::date`, '0044-03-15 BC'],
  [`'infinity'::date`, 'infinity'],
  [`'10:00:00.5'::time`, '10:00:00.5'],
  [`'1 day 2 hours'::interval`, '1 day 02:00:00'],
  [`'2024-02-29T10:00:00Z'::timestamptz`, '2024-02-29T10:00:00Z'],
  [`'2024-02-29T10:00:00.123456+05:30'::timestamptz`, '2024-02-29T04:30:00.123456Z'],
  [`'2024-12-31T23:30:00.5-01:00'::timestamptz`, '2025-01-01T00:30:00.5Z'],
  [`'0001-01-01T00:00:00Z'::timestamptz`, '0001-01-01T00:00:00Z'],
  [`'0044-03-15T00:00:00Z BC'::timestamptz`, '0044-03-15T00:00:00Z BC'],
  [`'275760-09-13T00:00:01Z'::timestamptz`, '275760-09-13T00:00:01Z'],
  [`'infinity'::timestamptz`, 'infinity'],
  [`'-infinity'::timestamptz`, '-infinity'],
  [`'2024-03-31T02:30:00'::timestamp`, '2024-03-31T02:30:00'],
  [`'2024-03-31T02:30:00.000001'::timestamp`, '2024-03-31T02:30:00.000001'],
  [`'0001-12-31T00:00:00 BC'::timestamp`, '0001-12-31T00:00:00 BC'],
  [
    `'{"id": 9007199254740993, "a": [1, "x", null, true]}'::jsonb`,
    { id: JSON.rawJSON('9007199254740993'), a: [1, 'x', null, true] },
  ],
  [`'{"amount":"1.10"}'::json`, { amount: '1.10' }],
  [`'null'::jsonb`, null],
  [`'123e4567-e89b-12d3-a456-426614174000'::uuid`, '123e4567-e89b-12d3-a456-426614174000'],
  [`26::oid`, 26],
  ['null::int8', null],
  ['array[1, null]::int4[]', [1, null]],
  ['array[9007199254740993, -1]::int8[]', ['9007199254740993', '-1']],
  ['array[1.10]::numeric[]', ['1.10']],
  [`array['a', 'b,"c\\', null, 'NULL', '']::text[]`, ['a', 'b,"c\\', null, 'NULL', '']],
  [
    'array[[1,2],[3,4]]',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['array[]::text[]', []],
  [`array['2024-02-29T10:00:00.5Z']::timestamptz[]`, ['2024-02-29T10:00:00.5Z']],
  [`array['2024-02-29']::date[]`, ['2024-02-29']],
  [`array['2024-02-29T10:00']::timestamp[]`, ['2024-02-29T10:00:00']],
  [`array['{"a":[1]}', 'null']::jsonb[]`, [{ a: [1] }, null]],
  ['array[true, false]', [true, false]],
  [`'[1,3)'::int4range`, '[1,3)'],
  [`'10.0.0.1'::inet`, '10.0.0.1'],
  [`array['10.0.0.1']::inet[]`, '{10.0.0.1}'],
]

const list = values.map(([expression], index) => `${expression} as v${index}`).join(', ')

onBoth('every type of value', (fresh) => {
  test('has the same JavaScript value in a transaction, with rows as arrays', async () => {
    await using mirror = await fresh()
    const { rows } = await mirror.database.transaction((trx) => trx.query(`select ${list}`), {
      readOnly: true,
    })
    expect(rows[0]).toEqual(values.map(([, value]) => value))
  })

  test('has it outside of one too, with rows as objects', async () => {
    await using mirror = await fresh()
    const { rows } = await sql<Record<string, unknown>>`${sql.raw(`select ${list}`)}`.execute(
      mirror.database.kysely,
    )
    expect(Object.values(rows[0] ?? {})).toEqual(values.map(([, value]) => value))
  })

  test('comes back from the tables as it went in', async () => {
    await using mirror = await fresh()
    const response = {
      account_id: 1,
      event_id: 'a/b?c',
      id: '9223372036854775807',
      kind: 'mixed' as const,
      name: 'Ωμέγα',
      email: 'x@example.org',
      message: 'it\'s \\ "\n',
      quantity: '-9007199254740993',
      rsvp: 'yes',
      created_at: '2024-02-29T10:00:00.123456Z',
      updated_at: null,
      _extra: '{"n":12345678901234567890}',
      _run_id: '1',
    }
    const slot = {
      account_id: 1,
      event_id: 'a/b?c',
      response_id: '1',
      position: 1,
      name: null,
      start_date: '2024-03-31T02:30:00Z',
      end_date: null,
      start_local: '2024-03-31T04:30:00.5',
      end_local: null,
      _extra: null,
    }
    await mirror.database.transaction(async (trx) => {
      await trx.kysely.insertInto('headcount.responses').values(response).execute()
      await trx.kysely.insertInto('headcount.slots').values(slot).execute()
      await trx.kysely
        .insertInto('headcount.payments')
        .values({
          account_id: 1,
          event_id: 'a/b?c',
          response_id: '1',
          amount: '0.10',
          processing_fee: '-1e3',
        })
        .execute()
    })
    const { kysely } = mirror.database
    const stored = await kysely.selectFrom('headcount.responses').selectAll().executeTakeFirstOrThrow()
    expect(stored).toMatchObject({ ...response, _extra: { n: JSON.rawJSON('12345678901234567890') } })
    expect(JSON.stringify(stored._extra)).toBe('{"n":12345678901234567890}')
    expect(await kysely.selectFrom('headcount.slots').selectAll().executeTakeFirstOrThrow()).toEqual(slot)
    expect(
      await kysely
        .selectFrom('headcount.payments')
        .select(['amount', 'processing_fee'])
        .executeTakeFirstOrThrow(),
    ).toEqual({ amount: '0.10', processing_fee: '-1000' })
  })

  test('a byte order mark before it stays, in every row of many', async () => {
    await using mirror = await fresh()
    const text = `case n % 3 when 0 then null when 1 then n::text else e'\\uFEFF' || repeat('x', n) end`
    const { rows } = await mirror.database.transaction((trx) =>
      trx.query(`select n, ${text}, '', ${text} from generate_series(1, 3000) n`),
    )
    const textOf = (n: number) => [null, String(n), `\uFEFF${'x'.repeat(n)}`][n % 3]
    expect(rows).toEqual(
      Array.from({ length: 3000 }, (_, index) => [index + 1, textOf(index + 1), '', textOf(index + 1)]),
    )
  })

  test('counts the rows that a statement wrote', async () => {
    await using mirror = await fresh()
    const count = await mirror.database.transaction(async (trx) => {
      await trx.query(`insert into headcount.accounts (name) select 'a' || n from generate_series(1, 5) n`)
      return (await trx.query(`delete from headcount.accounts where name <> 'a1'`)).count
    })
    expect(count).toBe(4)
  })
})

test.each(['Asia/Kolkata', 'America/St_Johns', 'Africa/Monrovia', 'UTC'])(
  'an instant is in UTC also where the role has the time zone %s',
  async (zone) => {
    await using place = await freshPlace('postgres')
    await onServer(`alter database ${new URL(place.url).pathname.slice(1)} set timezone = '${zone}'`)
    await using database = await place.open()
    const instants = values.filter(([expression]) => expression.includes('::timestamptz'))
    const { rows } = await sql<Record<string, unknown>>`${sql.raw(
      `select ${instants.map(([expression], index) => `${expression} as v${index}`).join(', ')}`,
    )}`.execute(database.kysely)
    expect(Object.values(rows[0] ?? {})).toEqual(instants.map(([, value]) => value))
  },
)

test('a role with other settings of values: they are the same in transactions and outside of them', async () => {
  await using mirror = await freshMirror('postgres')
  const name = new URL(mirror.url).pathname.slice(1)
  for (const setting of [
    'datestyle = German',
    'array_nulls = off',
    'extra_float_digits = -15',
    'default_transaction_isolation = serializable',
  ])
    await onServer(`alter database ${name} set ${setting}`)
  await using database = await connect(mirror.url)
  const at = '2024-02-29T10:00:00Z'
  const select = `select $1::timestamptz, $2::text[], 28.5::float8, current_setting('transaction_isolation')`
  const values = [at, ['a', null]]
  const inside = await database.transaction((trx) => trx.query(select, values))
  expect(inside.rows).toEqual([[at, ['a', null], 28.5, 'read committed']])
  const outside = await sql`
    select ${at}::timestamptz as at, ${['a', null]}::text[] as list, 28.5::float8 as number,
           current_setting('transaction_isolation') as isolation`.execute(database.kysely)
  expect(outside.rows).toEqual([{ at, list: ['a', null], number: 28.5, isolation: 'read committed' }])
  // pg-boss reads instants by the driver's own parsers, which know ISO alone.
  for (const [text, sent] of [
    [`select '${at}'::timestamptz as at`, []],
    ['select $1::timestamptz as at', [at]],
  ] as const)
    expect(await database.queryAsDriver?.(text, sent)).toEqual([{ at: new Date(at) }])
})

test('no statement is compiled: that takes longer than to answer it', async () => {
  await using mirror = await freshMirror('postgres')
  const name = new URL(mirror.url).pathname.slice(1)
  await onServer(`alter database ${name} set jit = on`)
  await using database = await connect(mirror.url)
  const jit = `select current_setting('jit') as jit`
  for (const readOnly of [true, false]) {
    const { rows } = await database.transaction((trx) => trx.query(jit), { readOnly })
    expect(rows).toEqual([['off']])
  }
  const outside = await sql.raw(jit).execute(database.kysely)
  expect(outside.rows).toEqual([{ jit: 'off' }])
})

test('a PGlite of the caller with another DateStyle: right in transactions, and outside of them an error that says what to do', async () => {
  // One of its own: others are lent to the next test as they are.
  await using pglite = await blankPglite()
  await pglite.exec(`set datestyle to 'German'`)
  await using database = await connect({ pglite })
  const select = `select '2024-02-29T10:00:00Z'::timestamptz`
  const inside = await database.transaction((trx) => trx.query(select))
  expect(inside.rows).toEqual([['2024-02-29T10:00:00Z']])
  await expect(sql.raw(select).execute(database.kysely)).rejects.toThrow(
    `PGlite back: set datestyle to 'ISO'`,
  )
})

test('a database without standard_conforming_strings: it is migrated, and a backslash in a transaction is one', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  await onServer(
    `alter database ${new URL(place.url).pathname.slice(1)} set standard_conforming_strings = off`,
  )
  await using database = await place.open()
  await migrate(database)
  const inside = await database.transaction((trx) => trx.query(String.raw`select '7 d' ~ '^\d\s\w$', '\d'`))
  expect(inside.rows).toEqual([[true, String.raw`\d`]])
})
