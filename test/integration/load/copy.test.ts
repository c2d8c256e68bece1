/** Rows in the binary form of COPY are read by the server as their text would be, to the last digit. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResponseItem } from '../../../src/common/schema/tables.ts'
import { ResponseRows } from '../../../src/copy-format/response-rows.ts'
import { fromCopy, toCopy } from '../../../src/copy-format/copy-framing.ts'
import { RowCursor } from '../../../src/copy-format/row-cursor.ts'
import { onBoth } from '../../support/databases/databases.ts'

const tables = [
  `create temp table copied_responses (account_id int, event_id text, id int8, kind text, name text, email text,
     message text, quantity int8, rsvp text, created_at timestamptz, updated_at timestamptz, _extra jsonb, _run_id int8)
     on commit drop`,
  `create temp table copied_payments (account_id int, event_id text, response_id int8, amount numeric,
     processing_fee numeric) on commit drop`,
  `create temp table copied_slots (account_id int, event_id text, response_id int8, position int, name text,
     start_date timestamptz, end_date timestamptz, start_local timestamp, end_local timestamp, _extra jsonb)
     on commit drop`,
]

interface Row {
  readonly n: string | null
  readonly written: string | null
  readonly at: string | null
  readonly wall: string | null
  readonly amount: string | null
  readonly extra: { [key: string]: string | number } | null
}

const pad = (value: number, length: number) => String(value).padStart(length, '0')

/** Any day of the calendar, its wall clock, a fraction of up to six digits. */
const wall = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1990, max: 2040 })),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 31 }),
    fc.integer({ min: 0, max: 86_399 }),
    fc.stringMatching(/^\d{0,6}$/),
  )
  .map(([year, month, day, seconds, fraction]) => {
    const last = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
    const [hour, minute, second] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(Math.min(day, last), 2)}`
    return `${date}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}${fraction === '' ? '' : `.${fraction}`}`
  })

const zone = fc.oneof(
  fc.constant('Z'),
  fc
    .tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: 59 }))
    .map(([sign, hours, minutes]) => `${sign}${pad(hours, 2)}:${pad(minutes, 2)}`),
)

const amount = fc.oneof(
  fc.stringMatching(/^-?\d{1,12}(\.\d{1,8})?$/),
  fc.stringMatching(/^-?0{0,5}\d{0,3}0{1,9}(\.0{0,9}\d{1,3}0{0,9})?$/),
  fc.stringMatching(/^-?\d{1,4}(\.\d{1,6})?[eE][+-]?\d{1,2}$/),
  fc.stringMatching(/^-?\d{1,40}(\.\d{1,40})?[eE]-?\d{1,3}$/),
)

const row: fc.Arbitrary<Row> = fc.record({
  n: fc.option(
    fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.maxSafeInteger()).map(String),
  ),
  written: fc.option(
    fc.string({
      unit: fc.oneof(
        fc.constantFrom('\n', '\\', '\t', '😀', 'ß'),
        fc
          .string({ unit: 'binary', minLength: 1, maxLength: 1 })
          .filter((c) => c !== '\0' && c.isWellFormed()),
      ),
    }),
  ),
  at: fc.option(fc.tuple(wall, zone).map(([clock, offset]) => clock + offset)),
  wall: fc.option(wall),
  amount: fc.option(amount),
  extra: fc.option(
    fc.dictionary(
      fc.stringMatching(/^[a-zß"\\]{0,5}$/),
      fc.oneof(fc.integer(), fc.stringMatching(/^[^\0]{0,9}$/)),
    ),
  ),
})

onBoth('rows in the binary form of COPY', (fresh) => {
  test('are what their text is', async () => {
    await using mirror = await fresh()
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 400, size: 'max' }), async (rows) => {
        const encoded = new ResponseRows({ account: 1, event_id: 'gâla', run: '9' })
        for (const [place, row] of rows.entries()) encoded.add(responseOf(place, row))
        const [count, differing] = await mirror.database.transaction(async (trx) => {
          for (const table of tables) await trx.query(table)
          const copied: number[] = []
          for (const table of ['responses', 'payments', 'slots'] as const)
            copied.push(await trx.copy(`copied_${table}`, toCopy([encoded.slice(table, 0, encoded.count)])))
          expect(copied).toEqual([rows.length, rows.length, rows.length])
          const { rows: differing } = await trx.query(
            `select c::text, t::text
               from (select r.id::int as place, r.quantity as n, r.message as written, r.created_at as at,
                            s.start_local as wall, p.amount, r._extra as extra
                       from copied_responses r
                       join copied_payments p on p.response_id = r.id
                       join copied_slots s on s.response_id = r.id and s.position = 1
                      where r.account_id = 1 and r.event_id = 'gâla' and r._run_id = 9) c
               join json_to_recordset($1::json) as t(place int, n int8, written text, at timestamptz, wall timestamp,
                                                     amount numeric, extra jsonb) using (place)
              where c::text is distinct from t::text`,
            [JSON.stringify(rows.map((row, place) => ({ place, ...row })))],
          )
          return [copied[0], differing]
        })
        expect(differing).toEqual([])
        expect(count).toBe(rows.length)
      }),
      { numRuns: 25 },
    )
  })
})

onBoth('rows copied out', (fresh) => {
  test('leave no timer behind, which would keep a process alive', async () => {
    await using mirror = await fresh()
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    await mirror.database
      .transaction(async (trx) => {
        const before = timers()
        const rows = new RowCursor(fromCopy(await trx.copyOut('select n::text from generate_series(1, 2) n')))
        const texts = [rows.next() && rows.text(0), rows.next() && rows.text(0), rows.next()]
        expect(texts).toEqual(['1', '2', false])
        await expect(trx.copyOut('select 1 / (n - 2) from generate_series(1, 3) n')).rejects.toThrow(/zero/)
        expect(timers()).toBeLessThanOrEqual(before)
      })
      .catch((error: unknown) => {
        // The statement that failed has ended the transaction.
        expect(String(error)).toMatch(/rolled back/)
      })
  })
})

test('rows copied out that break off anywhere are an error before the row that is not whole, not fewer rows', () => {
  // The last field of each row is -1: a row cut inside it ends like a whole COPY.
  const rows = new ResponseRows({ account: 1, event_id: 'a', run: '-1' })
  rows.add(responseOf(1, { n: null, written: 'Ann', at: null, wall: null, amount: null, extra: null }))
  rows.add(responseOf(2, { n: null, written: 'Ben', at: null, wall: null, amount: null, extra: null }))
  const parts = [rows.slice('responses', 0), rows.slice('responses', 1)]
  const [whole, one] = [toCopy(parts), toCopy(parts.slice(0, 1)).length - 2]
  const read = (bytes: Buffer) => {
    let found = 0
    try {
      const cursor = new RowCursor(fromCopy(bytes))
      while (cursor.next()) found += 1
    } catch (error) {
      return { found, error: String(error) }
    }
    return { found, error: '' }
  }
  expect(read(whole)).toEqual({ found: 2, error: '' })
  for (let length = 0; length < whole.length; length += 1) {
    const { found, error } = read(whole.subarray(0, length))
    expect(error, `${length} bytes`).toMatch(/before all of it was read/)
    expect(found, `${length} bytes`).toBeLessThanOrEqual(length > one ? 1 : 0)
  }
})

/** A response that has the values of a row in columns of their types. */
function responseOf(place: number, { n, written, at, wall, amount, extra }: Row): ResponseItem {
  const nothing = { name: null, email: null, rsvp: null, updated_at: null }
  // A wall clock is that of a time stamp in UTC.
  const start = wall === null ? null : `${wall}Z`
  const times = { start_date: start, end_date: null, start_local: wall, end_local: null }
  return {
    ...nothing,
    id: String(place),
    kind: 'mixed',
    message: written,
    quantity: n,
    created_at: at,
    _extra: extra,
    payment: { amount, processing_fee: null },
    slots: [{ name: null, ...times, _extra: null }],
  }
}
