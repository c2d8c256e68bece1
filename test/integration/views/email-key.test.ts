/** `email_key`: the address by which a person is found, and its index. */
import { createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createIndexStatement } from '../../../src/db/maintenance/deferred-indexes.ts'
import { emailKey } from '../../../src/normalise/suppression/email-key.ts'
import { engines, freshMirror } from '../../support/databases/databases.ts'

const long = 'ß'.repeat(501)

/** What is sent, and its key. */
const keys: readonly (readonly [string | null, string | null])[] = [
  ['ada@example.org', 'ada@example.org'],
  [' Ada@Example.ORG\t\n', 'ada@example.org'],
  ['{|}~@x.[org]', '{|}~@x.[org]'],
  ['a\u007f@x', 'a\u007f@x'],
  ['İ.Ä@x.org', 'İ.Ä@x.org'],
  ['a\u0308@x.org', 'ä@x.org'],
  ['a+b.c@x.org', 'a+b.c@x.org'],
  [' Victor@x.tv ', 'victor@x.tv'],
  [' \f\v\r ', null],
  ['', null],
  [null, null],
  [`${'X'.repeat(1000)} `, 'x'.repeat(1000)],
  [long, `sha256:${createHash('sha256').update(long).digest('hex')}`],
]

describe.each(engines)('email_key (%s)', (engine) => {
  test('one spelling in every locale', async () => {
    await using mirror = await freshMirror(engine)
    const { rows } = await mirror.database.transaction((trx) =>
      trx.query(
        `select headcount.email_key(email)
           from unnest($1::text[]) with ordinality as sent (email, place) order by place`,
        [keys.map(([sent]) => sent)],
      ),
    )
    expect(rows.map(([key]) => key)).toEqual(keys.map(([, key]) => key))
    for (const [sent, key] of keys) if (sent !== null) expect(emailKey(sent)).toBe(key)
  })

  test('the key that the suppression list is made of is the same', async () => {
    await using mirror = await freshMirror(engine)
    const unit = fc.constantFrom(
      ...Array.from('aZz09.@+ \t\n\v\f\rÄß'),
      '\u0308',
      '\u00a0',
      '\u2003',
      'İ',
      '😀',
      '\u007f',
    )
    const emails = fc.sample(
      fc.oneof(fc.string({ unit, maxLength: 12 }), fc.string({ unit: 'grapheme' })),
      2000,
    )
    // No text in Postgres has U+0000.
    const texts = [
      ...emails.filter((email) => !email.includes('\0')),
      `${'ä'.repeat(501)} `,
      ' '.repeat(3000),
    ]
    const { rows } = await mirror.database.transaction((trx) =>
      trx.query(
        `select headcount.email_key(email) from unnest($1::text[]) with ordinality as sent (email, place) order by place`,
        [texts],
      ),
    )
    expect(texts.map((text) => emailKey(text))).toEqual(rows.map(([key]) => key))
  })

  test('its index takes any text, and finds a person', async () => {
    await using mirror = await freshMirror(engine)
    const { kysely } = mirror.database
    const hostile = randomBytes(50_000).toString('base64')
    await sql`
      insert into headcount.responses (account_id, event_id, id, kind, email, _run_id)
      select 1, 'gala', n, 'bare', case n when 1 then ${hostile} else 'Guest' || n || '@Example.org' end, 1
        from generate_series(1, 5000) n`.execute(kysely)
    await sql.raw(createIndexStatement({ name: 'responses_email_key' }, '')).execute(kysely)
    await sql`insert into headcount.responses (account_id, event_id, id, kind, email, _run_id)
              values (1, 'gala', 5001, 'bare', ${`${hostile}x`}, 1)`.execute(kysely)
    await sql`analyze headcount.responses`.execute(kysely)
    const statement = sql`select id from headcount.responses where headcount.email_key(email) = 'guest77@example.org'`
    expect((await statement.execute(kysely)).rows).toEqual([{ id: '77' }])
    const { rows } = await sql`explain ${statement}`.execute(kysely)
    expect(JSON.stringify(rows)).toContain('responses_email_key')
  })
})
