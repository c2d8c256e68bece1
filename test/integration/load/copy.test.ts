/** Rows in the binary form of COPY are read by the server as their text would be, to the last digit. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CopyEncoder } from '../../../src/load/copy/encoder.ts'
import { CopyDecoder } from '../../../src/load/copy/decoder.ts'
import { onBoth } from '../../support/databases/databases.ts'

const table = `create temp table copied (
  place int, n int8, written text, at timestamptz, wall timestamp, amount numeric, extra jsonb) on commit drop`

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
        const bytes = new CopyEncoder()
        for (const [place, { n, written, at, wall, amount, extra }] of rows.entries()) {
          bytes.row(7)
          bytes.int4(place)
          bytes.int8(n)
          bytes.text(written)
          bytes.instant(at)
          bytes.instant(wall)
          bytes.numeric(amount)
          bytes.jsonb(extra)
        }
        const [count, differing] = await mirror.database.transaction(async (trx) => {
          await trx.query(table)
          const count = await trx.copy('copied', bytes.take())
          const { rows: differing } = await trx.query(
            `select c::text, t::text
               from copied c
               join json_to_recordset($1::json) as t(place int, n int8, written text, at timestamptz, wall timestamp,
                                                     amount numeric, extra jsonb) using (place)
              where c::text is distinct from t::text`,
            [JSON.stringify(rows.map((row, place) => ({ place, ...row })))],
          )
          return [count, differing]
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
        const rows = new CopyDecoder(await trx.copyOut('select n::text from generate_series(1, 2) n'))
        expect([rows.next() && rows.text(0), rows.next() && rows.text(0), rows.next()]).toEqual([
          '1',
          '2',
          false,
        ])
        await expect(trx.copyOut('select 1 / (n - 2) from generate_series(1, 3) n')).rejects.toThrow(/zero/)
        expect(timers()).toBeLessThanOrEqual(before)
      })
      .catch((error: unknown) => {
        // The statement that failed has ended the transaction.
        expect(String(error)).toMatch(/rolled back/)
      })
  })
})

test('rows copied out that break off are an error, not fewer rows', () => {
  const rows = new CopyEncoder()
  rows.row(1)
  rows.text('Ann')
  const whole = rows.take()
  const reader = new CopyDecoder(whole.subarray(0, whole.length - 2))
  expect(reader.next()).toBe(true)
  expect(() => reader.next()).toThrow(/before all of it was read/)
})
